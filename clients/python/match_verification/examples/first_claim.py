"""Two barcodes to stones, a claim from files, the decision, a label. Addresses and keys come from the environment."""

import json
import os
import urllib.parse
import urllib.request

from match_verification import Client, decide

env = os.environ
NAMES = ("MATCH_URL", "MATCH_API_KEY", "VENDOR_URL", "VENDOR_KEY", "ROUGH_FILES", "POLISH_FILES")
if missing := [name for name in NAMES if not env.get(name)]:
    raise SystemExit(f"set {', '.join(missing)}")


def stone_of(barcode: str) -> str:
    headers = {"secret-key": env["VENDOR_KEY"], "Accept": "application/json", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{env['VENDOR_URL']}?barcode={urllib.parse.quote(barcode)}", headers=headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["stoneId"]


rough, polish = stone_of("100001"), stone_of("100002")
service = Client(env["MATCH_URL"], api_key=env["MATCH_API_KEY"])
result = service.verify_files(rough=env["ROUGH_FILES"].split(","), polish=env["POLISH_FILES"].split(","))
decision = decide(result, prior=0.95)
print(f"{polish} from {rough}: {result['verdict']}, {decision['action']}, p_real {decision['p_real']:.3f}")
for outcome in service.label([{"claim_id": result["claim_id"], "expected": "match", "stone_id": polish}]):
    print("labels:", json.dumps(outcome["counts"]))
