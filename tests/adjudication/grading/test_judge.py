"""The judge: what it is asked, what counts as an answer, and that it can only refuse. The endpoint is a double, over real HTTP."""

from __future__ import annotations

import json
import socket
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import DOUBLE, proof, submission
from adjudication.grading.canaries.honest import HONEST
from adjudication.grading.checking import Checked, check
from adjudication.grading.decide import Verdict, decide
from adjudication.grading.grader import Grader, grade
from adjudication.grading.judge import (
    ANSWER_BYTES,
    LATE,
    MOST_CHARACTERS,
    MOST_QUESTIONS,
    HttpJudge,
    Question,
    Ruling,
    ask,
    questions,
    read_answer,
)
from adjudication.grading.receipt import hash_of, make, verify
from adjudication.grading.screen import Policy
from tests.adjudication.grading.chat_double import (
    Handle,
    answer,
    chat_double,
    message,
    verdict,
)

FLAGGED = "instance (priority := 2000) : Weigh Nat := ⟨fun n => n⟩"
QUESTION = Question("F.lean", "proof_aux", "prove_x", ("instance-hollow",), "t", "x")


def flagged(aux: str = FLAGGED) -> Checked:
    bodies = proof("double", DOUBLE, f"open Tiny in\n{aux}")
    handed_in = submission(replace(HONEST[0], bodies=bodies))
    return check(ground.instance(), "proof", handed_in, Policy())


def ruling(handle: Handle, *, seconds: float = 5, key: str = "") -> Ruling:
    with chat_double(handle) as double:
        return HttpJudge(double.url, "m", key, seconds).rule(QUESTION)


class TestQuestions:
    def test_each_flagged_slot_is_asked_about_once_with_all_its_rules(self) -> None:
        twice = f"{FLAGGED}\ninstance : Inhabited Nat := ⟨default⟩"
        (question,) = questions(flagged(twice))
        assert question.file == ground.PROOF
        assert (question.slot, question.def_name) == ("proof_aux", "prove_double")
        assert question.rules == ("instance-priority", "instance-hollow")
        assert twice in question.text

    def test_nothing_flagged_nothing_asked(self) -> None:
        assert questions(flagged("theorem one : True := trivial")) == []

    def test_the_text_stands_between_marks_that_it_cannot_hold(self) -> None:
        (question,) = questions(flagged())
        lines = question.text.split("\n")
        fence = lines[-1]
        assert lines.count(fence) == 2
        assert f"`{fence}`" in question.task
        (other,) = questions(flagged(f"{FLAGGED}\n-- {fence}"))
        assert other.text.split("\n")[-1] != fence

    def test_the_same_slot_gives_the_same_prompt(self) -> None:
        one, two = questions(flagged()) + questions(flagged())
        assert one.digest == two.digest
        assert one.digest != questions(flagged(FLAGGED + " "))[0].digest


class TestAnswers:
    @pytest.mark.parametrize("opinion", ["legit", "cheat", "unclear"])
    def test_an_opinion_with_reasons_counts(self, opinion: str) -> None:
        found = ruling(answer(verdict(opinion, " it is so ")))
        assert (found.opinion, found.reasoning, found.error) == (
            opinion,
            "it is so",
            "",
        )
        assert json.loads(found.answer)["choices"][0]["message"]["content"]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("legit", "not JSON"),
            ('```json\n{"verdict": "legit", "reasoning": "r"}\n```', "not JSON"),
            ('{"verdict": "legit"}', "expected an object"),
            ('{"verdict": "legit", "reasoning": "r", "more": 1}', "expected an object"),
            ('["legit", "r"]', "expected an object"),
            ('{"verdict": "honest", "reasoning": "r"}', "expected one of legit"),
            ('{"verdict": ["legit"], "reasoning": "r"}', "expected one of legit"),
            ('{"verdict": "LEGIT", "reasoning": "r"}', "expected one of legit"),
            ('{"verdict": "legit", "reasoning": "  "}', "expected words"),
            ('{"verdict": "legit", "reasoning": null}', "expected words"),
            ('{"verdict": "cheat", "verdict": "legit", "reasoning": "r"}', "twice"),
            ('{"verdict": "legit", "reasoning": "\\u0000"}', "no text"),
            ('{"verdict": "legit", "reasoning": "\\ud800"}', "no text"),
            ("[" * 100_000, ""),
            (None, "no text"),
            ([{"type": "text", "text": "legit"}], "no text"),
        ],
    )
    def test_anything_else_is_unclear_and_says_why(
        self, content: Any, said: str
    ) -> None:
        found = ruling(answer(message(content)))
        assert (found.opinion, found.reasoning) == ("unclear", "")
        assert found.error
        assert said in found.error

    @pytest.mark.parametrize(
        "body",
        [b"", b"{}", b'{"choices": []}', b'{"choices": [{}]}', b"[]", b"null", b"\xff"],
    )
    def test_a_response_without_a_message_is_unclear(self, body: bytes) -> None:
        found = ruling(answer(body))
        assert found.opinion == "unclear"
        assert found.error

    @pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
    def test_an_error_of_the_endpoint_is_unclear(self, status: int) -> None:
        found = ruling(answer(verdict("legit"), status=status))
        assert (found.opinion, found.error) == (
            "unclear",
            f"the endpoint answered {status}",
        )

    def test_a_redirect_is_not_followed_for_it_would_carry_the_key_away(self) -> None:
        with chat_double(answer(verdict("legit"))) as elsewhere:
            found = ruling(
                answer(b"", status=307, headers={"Location": elsewhere.url}), key="k"
            )
            assert elsewhere.requests == []
        assert found.error == "the endpoint answered 307"

    def test_an_answer_without_end_is_unclear(self) -> None:
        found = ruling(answer(verdict("legit", "x" * ANSWER_BYTES)))
        assert found.opinion == "unclear"
        assert "more than" in found.error
        assert found.answer == ""

    def test_nobody_waits_longer_than_was_said(self) -> None:
        release = threading.Event()

        def silent(request: BaseHTTPRequestHandler) -> None:
            release.wait(20)

        with chat_double(silent) as double:
            found = HttpJudge(double.url, "m", seconds=0.2).rule(QUESTION)
            release.set()
        assert (found.opinion, found.error) == ("unclear", "no answer in time")

    def test_an_endpoint_that_trickles_is_left_alone(self) -> None:
        release = threading.Event()

        def trickle(request: BaseHTTPRequestHandler) -> None:
            request.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not release.wait(0.05):
                request.wfile.write(b"X: y\r\n")

        with chat_double(trickle) as double:
            found = HttpJudge(double.url, "m", seconds=0.4).rule(QUESTION)
            release.set()
        assert (found.opinion, found.error) == ("unclear", "no answer in time")

    def test_an_endpoint_that_is_not_there_is_unclear(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
            url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
            found = HttpJudge(url, "m").rule(QUESTION)
        assert found.opinion == "unclear"
        assert "cannot be reached" in found.error

    @pytest.mark.parametrize("url", ["file:///etc/hostname", "nonsense", "http://"])
    def test_an_address_that_is_none_is_unclear(self, url: str) -> None:
        found = HttpJudge(url, "m").rule(QUESTION)
        assert (found.opinion, found.answer) == ("unclear", "")
        assert found.error

    def test_reading_an_answer_by_itself(self) -> None:
        assert read_answer(verdict("cheat", "no").decode()) == ("cheat", "no")


class TestRequest:
    def test_it_speaks_the_protocol(self) -> None:
        with chat_double(answer(verdict("legit"))) as double:
            HttpJudge(double.url, "some-model", "s3cret").rule(QUESTION)
        ((path, headers, document),) = double.requests
        assert path == "/v1/chat/completions"
        assert headers["Authorization"] == "Bearer s3cret"
        assert headers["Content-Type"] == "application/json"
        assert document["model"] == "some-model"
        assert [m["role"] for m in document["messages"]] == ["system", "user"]
        assert document["messages"][1]["content"] == QUESTION.text
        assert document["response_format"] == {"type": "json_object"}

    def test_without_a_key_nothing_is_sent_for_one(self) -> None:
        with chat_double(answer(verdict("legit"))) as double:
            HttpJudge(double.url, "m").rule(QUESTION)
        assert "Authorization" not in double.requests[0][1]


class TestAsk:
    class Counting:
        """A double for a judge that calls everything honest."""

        model = "counting"

        def __init__(self) -> None:
            self.asked = 0

        def rule(self, question: Question) -> Ruling:
            self.asked += 1
            return Ruling(question, self.model, "legit", "fine")

    def test_a_slot_that_is_too_long_is_not_asked_about(self) -> None:
        judge = self.Counting()
        (found,) = ask(judge, flagged(f"{FLAGGED}\n-- {'x' * MOST_CHARACTERS}"))
        assert (found.opinion, judge.asked) == ("unclear", 0)

    def test_a_judge_that_is_late_once_is_not_waited_for_again(self) -> None:
        class Late(self.Counting):  # type: ignore[name-defined]  # a class of this test
            def rule(self, question: Question) -> Ruling:
                super().rule(question)
                return Ruling(question, self.model, "unclear", "", error=LATE)

        checked = flagged()
        report = next(r for r in checked.reports if r.hits)
        judge = Late()
        found = ask(judge, replace(checked, reports=(report,) * 3))
        assert judge.asked == 1
        assert [r.opinion for r in found] == ["unclear"] * 3
        assert found[2].error.startswith("not asked")

    def test_nor_are_more_slots_than_anybody_would_read(self) -> None:
        checked = flagged()
        report = next(r for r in checked.reports if r.hits)
        many = replace(checked, reports=(report,) * (MOST_QUESTIONS + 2))
        judge = self.Counting()
        found = ask(judge, many)
        assert judge.asked == MOST_QUESTIONS
        assert [r.opinion for r in found[MOST_QUESTIONS:]] == ["unclear", "unclear"]


@pytest.mark.lean
class TestVerdict:
    """One honest proof and one wrong one behind a flagged instance, with judges of every opinion."""

    BODIES = (
        proof("double", DOUBLE, f"open Tiny in\n{FLAGGED}"),
        proof("never", "  rfl"),
    )

    def verdict(
        self, grader: Grader, opinion: str
    ) -> tuple[Verdict, dict[str, str], Any]:
        bodies = {**self.BODIES[0], **self.BODIES[1]}
        handed_in = submission(replace(HONEST[0], bodies=bodies))
        with chat_double(answer(verdict(opinion, "it is what it is"))) as double:
            judge = HttpJudge(double.url, "some-model", "s3cret") if opinion else None
            asked = replace(grader, judge=judge)
            case = grade(asked, ground.instance(), "proof", handed_in)
        found = decide(case)
        outcomes: dict[str, str] = {
            s.spec.rsplit("spec_", 1)[-1]: s.outcome for s in found.specs
        }
        return found, outcomes, make(case, found)

    @pytest.mark.parametrize("opinion", ["legit", "unclear", "nonsense"])
    def test_nothing_passes_or_fails_by_what_a_judge_calls_honest(
        self, grader: Grader, opinion: str
    ) -> None:
        _, alone, _ = self.verdict(grader, "")
        _, outcomes, _ = self.verdict(grader, opinion)
        assert outcomes == alone
        assert (outcomes["double"], outcomes["never"]) == ("passed", "build_error")

    def test_a_cheat_makes_the_run_void(self, grader: Grader) -> None:
        found, outcomes, receipt = self.verdict(grader, "cheat")
        assert set(outcomes.values()) == {"void"}
        assert found.void_rule == "instance-priority"
        assert "some-model calls it a cheat: it is what it is" in found.specs[0].detail
        assert receipt["specs"][0]["vero"]["outcome"] == "impl_oracle"
        assert verify(receipt) == []

    def test_model_prompt_and_answer_are_kept_and_the_key_is_not(
        self, grader: Grader
    ) -> None:
        _, _, receipt = self.verdict(grader, "legit")
        (kept,) = receipt["verdict"]["judge"]
        assert (kept["model"], kept["opinion"]) == ("some-model", "legit")
        assert FLAGGED in kept["prompt"]["user"]
        assert len(kept["prompt_digest"]) == 64
        assert "it is what it is" in kept["answer"]
        assert "s3cret" not in json.dumps(receipt)

    def test_a_receipt_in_which_a_cheat_passed_is_no_good(self, grader: Grader) -> None:
        _, _, receipt = self.verdict(grader, "legit")
        receipt["verdict"]["judge"][0]["opinion"] = "cheat"
        receipt["hash"] = hash_of(receipt)
        assert verify(receipt) == [
            "something passed although a judge called the run a cheat"
        ]

    def test_nothing_flagged_nobody_is_asked(self, grader: Grader) -> None:
        with chat_double(answer(verdict("cheat"))) as double:
            asked = replace(grader, judge=HttpJudge(double.url, "m"))
            handed_in = submission(replace(HONEST[0], bodies=proof("double", DOUBLE)))
            case = grade(asked, ground.instance(), "proof", handed_in)
        assert double.requests == []
        assert case.rulings == ()
