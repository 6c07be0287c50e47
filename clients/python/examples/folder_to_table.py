"""From a folder of scan files to a table of verdicts.

Step 1: put the scans of each claim into one folder, named <stone>_rough_<n>.<ext> and <stone>_polish_<n>.<ext>
        (OPUS .0, .dpt, .csv, .txt).
Step 2: MATCH_URL=http://127.0.0.1:3000 MATCH_API_KEY=mvs_live_... python folder_to_table.py FOLDER > verdicts.csv
"""

import csv
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

from match_verification import Client, ServiceError, decide

# Group the files by stone and side.
claims: dict[str, dict[str, list[Path]]] = defaultdict(lambda: {"rough": [], "polish": []})
for path in sorted(Path(sys.argv[1]).iterdir()):
    if named := re.match(r"(?P<stone>.+)_(?P<side>rough|polish)_\d+[.][^.]+$", path.name):
        claims[named["stone"]][named["side"]].append(path)

# Ask for each claim; a refused one is a row too, with its reason.
service = Client(os.environ["MATCH_URL"], api_key=os.environ["MATCH_API_KEY"])
table = csv.writer(sys.stdout)
table.writerow(["stone", "verdict", "action", "fused_score", "threshold", "p_match_5050", "warnings", "claim_id"])
for stone, sides in claims.items():
    try:
        result = service.verify_files(**sides)
    except (ServiceError, ValueError) as error:
        table.writerow([stone, "REFUSED", "mend", "", "", "", str(error), ""])
        continue
    scores = [round(result[name], 4) for name in ("fused_score", "threshold", "p_match_5050")]
    warnings = " | ".join(result["warnings"])
    table.writerow([stone, result["verdict"], decide(result)["action"], *scores, warnings, result["claim_id"]])
