"""A double for a kernel of another maker: reads an export on standard input and does what its first argument says.

It judges nothing. It runs without the project, as such a program would.
"""

import json
import sys
import time

what = sys.argv[1]
if what == "hang":
    time.sleep(60)
names = {0: ""}
declared = set()
for line in sys.stdin:
    document = json.loads(line)
    if "in" in document:
        part = document.get("str") or document["num"]
        before = names[part["pre"]]
        last = str(part.get("str", part.get("i")))
        names[document["in"]] = f"{before}.{last}" if before else last
    for kind in ("thm", "def"):
        if kind in document:
            declared.add(names[document[kind]["name"]])
if what == "crash":
    sys.exit(3)
if what in declared:
    print(f"I do not believe {what}")
    print("note: nor should you")
    sys.exit(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
print(f"{len(declared)} declarations")
