"""Everything that is needed to check a run again elsewhere, as one archive."""

from __future__ import annotations

import io
import zipfile

from adjudication.runs.models import GradingRun
from workbench.content.trees import read_tree

# zip cannot hold an earlier one; a fixed time makes the archive of a run the same bytes every time.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_README = """\
Run {run}: {instance} r{revision}, mode {mode}, by {configuration}

instance/        the revision that was graded against, byte for byte
submission/      what was handed in: artifact.json, and run.json where there was one
receipt.json     what the grader found; its hash is {receipt}

Check the receipt:

    bin/workbench verify-receipt receipt.json

Grade again, with the Lean that instance/lean-toolchain names ({toolchain}), and compare:

    bin/workbench grade instance --mode={mode} --artifact=submission/artifact.json --receipt=again.json

The outcomes of both receipts must be the same, and `submission.slots`, `submission.tree` and `instance.tree` as well.
"""


def recheck_archive(run: GradingRun) -> bytes:
    """Return the zip of an ended run: instance revision, submission, receipt, and a README with the commands. Same run, same bytes."""
    assert run.receipt is not None, "the run has no verdict yet"
    readme = _README.format(
        run=run.pk,
        instance=run.instance.slug,
        revision=run.revision.number,
        mode=run.submission.mode,
        configuration=run.submission.configuration,
        receipt=run.receipt_hash,
        toolchain=run.toolchain,
    )
    files = {"README.txt": readme.encode(), "receipt.json": bytes(run.receipt.data)}
    for folder, tree in (
        ("instance", (run.adaptation or run.revision).snapshot),
        ("submission", run.submission.files),
    ):
        files |= {f"{folder}/{path}": data for path, data in read_tree(tree).items()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(
                zipfile.ZipInfo(path, _EPOCH), files[path], zipfile.ZIP_DEFLATED
            )
    return stream.getvalue()
