"""From a folder of scan files to a table of verdicts, with labels where the truth is known.

Step 1: put the scans of each claim into one folder, named <stone>_rough_<n>.<ext> and <stone>_polish_<n>.<ext>
        (OPUS .0, .dpt, .csv, .txt).
Step 2: MATCH_URL=http://127.0.0.1:3000 MATCH_API_KEY=mvs_live_... python -m match_verification.examples.folder_to_table FOLDER [TRUTH.csv] > verdicts.csv
        TRUTH.csv has the columns stone and expected (match or no_match).

A refused claim is a row with its reason. The run ends where going on makes no sense: a key that is refused, a fault of the
service, a service that stays away after all attempts. It says so, and exits 1; run it again to go on, as sending a claim
again answers the same claim_id.
"""

import csv
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

import match_verification as mv

if missing := [name for name in ("MATCH_URL", "MATCH_API_KEY") if not os.environ.get(name)]:
    sys.exit(f"set {' and '.join(missing)}: address and key of the service")
if len(sys.argv) < 2:
    sys.exit("name a folder of scan files")
folder, *truth = sys.argv[1:]
table = csv.writer(sys.stdout)
table.writerow(["stone", "verdict", "action", "fused_score", "threshold", "p_match_5050", "warnings", "claim_id"])

# Group the files by stone and side.
claims: dict[str, dict[str, list[Path]]] = defaultdict(lambda: {"rough": [], "polish": []})
for path in sorted(Path(folder).iterdir()):
    if named := re.match(r"(?P<stone>.+)_(?P<side>rough|polish)_\d+[.][^.]+$", path.name):
        claims[named["stone"]][named["side"]].append(path)

service = mv.Client(os.environ["MATCH_URL"], api_key=os.environ["MATCH_API_KEY"])
claim_ids: dict[str, str] = {}
try:
    for done, (stone, sides) in enumerate(claims.items(), start=1):
        print(f"{done}/{len(claims)} {stone}", file=sys.stderr)
        try:
            result = service.verify_files(**sides)
        except (mv.InvalidRequest, mv.BadInput, OSError) as error:
            # The scans are to be mended: which, and how, is in the sentence.
            code = getattr(error, "code", None) or "not sent"
            table.writerow([stone, "REFUSED", "mend", "", "", "", f"{code}: {error}", ""])
            continue
        claim_ids[stone] = result["claim_id"]
        scores = [round(result[name], 4) for name in ("fused_score", "threshold", "p_match_5050")]
        warnings = " | ".join(result["warnings"])
        table.writerow([stone, result["verdict"], mv.decide(result)["action"], *scores, warnings, result["claim_id"]])
    if truth:
        with open(truth[0], newline="") as file:
            known = {row["stone"]: row["expected"] for row in csv.DictReader(file)}
        labels = [{"claim_id": id, "expected": known[stone]} for stone, id in claim_ids.items() if stone in known]
        for outcome in service.label(labels):
            print("labels:", outcome["counts"], file=sys.stderr)
except (mv.Authentication, mv.PermissionDenied) as error:
    sys.exit(f"the key is refused: {error.detail} Ask the operator for another one.")
except mv.ServiceFault as error:
    sys.exit(f"a fault of the service: report request {error.request_id}")
except (mv.RateLimited, mv.Unavailable, mv.ConnectionFailed) as error:
    sys.exit(f"the service is away or busy, and stayed so: {error}. Run it again to go on.")
except mv.UnexpectedAnswer as error:
    sys.exit(f"this is not the service: {error}")
