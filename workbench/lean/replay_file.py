"""A plan as a compiled module that imports nothing: for checkers that take files.

The file is written from validated terms alone and holds everything below the theorems, so a checker loads no other file, and
nothing of what a submission's compiler wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from workbench.lean.constants import Constant, RecursorData
from workbench.lean.names import Name
from workbench.lean.replay_plan import QUOT_NAMES, Plan
from workbench.lean.terms import Bank, Term
from workbench.lean.write import ImageWriter, base_of, finished


def constants_of(plan: Plan, without: Collection[Name] = ()) -> Iterator[Constant]:
    """Yield the constants that a plan is about, once each, a second proof of a theorem under a name that nothing else has.

    What a step adds is left out if one of its names is in `without`, and so are the recursors of its types.
    """
    done: set[Name] = set()
    for step in plan.steps:
        if not done.isdisjoint(step) or any(name in without for name in step):
            continue
        done.update(step)
        for name in step:
            for number, constant in enumerate(plan.environment.all(name)):
                yield replace(constant, name=(*name, "_duplicate", number)) if number else constant  # fmt: skip
    declared = {name for step in plan.steps for name in step}
    for name in plan.expected:
        if name in declared or name in without:
            continue
        other = plan.environment.find(name)
        assert other is not None
        if not isinstance(other.data, RecursorData) or done.issuperset(other.data.all):
            yield other


def module_file(
    plan: Plan, name: Name, header: bytes, without: Collection[Name] = ()
) -> bytes:
    """Return the module `name` with the constants of a plan. `header` begins with the 80 bytes that files of that Lean begin with."""
    writer = ImageWriter(plan.environment.bank, base_of(name))
    root = writer.module_data([], list(constants_of(plan, without)))
    return finished(writer.file(root), header)


def other_quotients(plan: Plan) -> list[Name]:
    """Return the quotient constants of a plan that are not those that the kernel makes.

    A checker of files adds the quotients by itself and does not look at what the file says about them.
    """
    bank = plan.environment.bank
    mine = quotients(bank)
    found = []
    for name in QUOT_NAMES:
        constant = plan.environment.find(name) if name in plan.expected else None
        if constant is not None:
            parameters, type_ = mine[name]
            renamed = bank.erased(constant.type)
            if (constant.level_params, renamed) != (parameters, bank.erased(type_)):
                found.append(name)
    return found


def quotients(bank: Bank) -> dict[Name, tuple[tuple[Name, ...], Term]]:
    """Return level parameters and type of the four constants, as the kernel declares them (`environment::add_quot`)."""
    u, v = bank.param(("u",)), bank.param(("v",))
    prop, var, app = bank.sort(bank.zero()), bank.bvar, bank.app
    quot, make = (bank.const(name, (u,)) for name in QUOT_NAMES[:2])
    equal = bank.const(("Eq",), (v,))

    def arrow(left: Term, right: Term) -> Term:
        return bank.pi(("a",), left, right)

    def relation(type_: int) -> Term:
        return arrow(var(type_), arrow(var(type_ + 1), prop))

    def of(*arguments: Term) -> Term:
        return app(quot, *arguments)

    sort_u, sort_v = bank.sort(u), bank.sort(v)

    def over(body: Term) -> Term:
        """Bind the type and the relation."""
        return bank.pi(("α",), sort_u, bank.pi(("r",), relation(0), body))

    # Below `over`: α is 1, r is 0.
    lift = bank.pi(
        ("β",),
        sort_v,
        bank.pi(
            ("f",),
            arrow(var(2), var(1)),
            arrow(
                bank.pi(
                    ("a",),
                    var(3),
                    bank.pi(
                        ("b",),
                        var(4),
                        arrow(
                            app(var(4), var(1), var(0)),
                            app(
                                equal,
                                var(4),
                                app(var(3), var(2)),
                                app(var(3), var(1)),
                            ),
                        ),
                    ),
                ),
                arrow(of(var(4), var(3)), var(3)),
            ),
        ),
    )
    ind = bank.pi(
        ("β",),
        arrow(of(var(1), var(0)), prop),
        arrow(
            bank.pi(("a",), var(2), app(var(1), app(make, var(3), var(2), var(0)))),
            bank.pi(("q",), of(var(3), var(2)), app(var(2), var(0))),
        ),
    )
    both = (("u",), ("v",))
    return {
        ("Quot",): ((("u",),), over(sort_u)),
        ("Quot", "mk"): ((("u",),), over(arrow(var(1), of(var(2), var(1))))),
        ("Quot", "lift"): (both, over(lift)),
        ("Quot", "ind"): ((("u",),), over(ind)),
    }
