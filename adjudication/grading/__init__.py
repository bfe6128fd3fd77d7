"""From a submission to a verdict that a submitter cannot forge.

Pure: no Django, no database, nothing of the project but `curation.format` and `workbench.lean`. See docs/developer/grading.md.
"""
