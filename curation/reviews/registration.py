"""What the review loop adds to the frame: navigation, keys, home, instance pages, and how its events are told."""

from __future__ import annotations

from django.urls import reverse

from curation.instances import contributions, demo
from curation.instances.contributions import (
    InstancePanel,
    after_revision,
    after_terms,
)
from curation.reviews.actions.settle_revision import settle_revision
from curation.reviews.actions.settle_terms import settle_terms
from curation.reviews.demo import review
from curation.reviews.entries import refresh_risk
from curation.reviews.file_marks import read_marks
from curation.reviews.page_registration import register_page
from curation.reviews.panels import home_queue, progress_panel, queue_count
from curation.reviews.selectors import progress
from curation.reviews.undo import is_undoable, undoers
from curation.reviews.undoers import all_undoers
from workbench.events.acts import ActLink, act_links
from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation
from workbench.ui.panels import Panel, home_panels

QUEUE = "Queue"


def register() -> None:
    """Add everything. Called once, when the app starts."""
    _register_queue()
    _register_decisions()
    _register_progress()
    _register_undo()
    register_page()
    demo.scenes.append(review)


def _register_queue() -> None:
    navigation.add(Entry("Review", "reviews:queue", order=30, count=queue_count))
    home_panels.add(Panel("queue", "reviews/home_panel.html", home_queue, order=10))
    keymap.add(
        Key("g q", "review queue", GO, "go", "reviews:queue", order=32),
        Key("n", "next for me", QUEUE, order=45),
    )
    tellings.add(
        Telling("lease.taken", "took {object} to read"),
        Telling("lease.given_back", "gave {object} back"),
        Telling("filter.saved", "kept the filter {name}"),
        Telling("filter.forgotten", "forgot the filter {name}"),
    )


def _register_progress() -> None:
    contributions.steps.append(progress.steps)
    contributions.after_links.append(refresh_risk)
    contributions.blockers.append(progress.blockers)
    contributions.panels.append(
        InstancePanel("review", "reviews/progress.html", progress_panel)
    )


def _register_undo() -> None:
    undoers.add(*all_undoers())
    act_links.add(
        ActLink(
            "Undo this act",
            lambda correlation: reverse("reviews:act", args=[correlation]),
            lambda user, events: any(map(is_undoable, events)),
        )
    )
    keymap.add(Key("z", "undo this act", "One act", order=46))
    tellings.add(
        Telling("act.undone", "undid {undone:change} of one act ({object})"),
        Telling(
            "review.restored", "let the decision of {reviewer} on {object} count again"
        ),
        Telling("definition.assigned", "gave {object} to {to}"),
    )


def _register_decisions() -> None:
    after_revision.append(settle_revision)
    after_revision.append(read_marks)
    after_terms.append(settle_terms)
    tellings.add(
        Telling(
            "translation.approved", "approved version {version} of {object}, {bound}"
        ),
        Telling("translation.sent_back", "sent version {version} of {object} back"),
        Telling("definition.skipped", "skipped {object}"),
        Telling("review.withdrawn", "took back a decision on {object} ({decision})"),
        Telling("review.dropped", "the approval of {object} by {reviewer} dropped"),
        Telling("translation.written", "wrote version {version} of {object}"),
        Telling(
            "translation.reverted",
            "took {object} back to the text of version {to}, as version {version}",
        ),
        Telling("request.assigned", "gave the re-translation of {object} to {to}"),
        Telling(
            "policy.set",
            "set the approvals that {kind} needs in {object} to {approvals}",
        ),
    )
