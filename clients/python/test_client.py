"""Run against a running service: MATCH_URL, MATCH_API_KEY, SCANS (a folder). Without them, only what needs none."""

import http.server
import json
import os
import threading
import unittest
from pathlib import Path

from match_verification import BadAnswer, Client, ConnectionFailed, ServiceError, decide


class Canned:
    """A service that gives the answers it was told, the last one for ever."""

    def __init__(self, *answers):
        self.answers, self.seen = list(answers), []
        canned = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                canned.seen.append((self.path, dict(self.headers), body))
                answer = canned.answers[min(len(canned.seen), len(canned.answers)) - 1]
                if answer == "cut":
                    self.connection.close()
                    return
                status, text, headers = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        host, port = self.server.server_address
        self.client = Client(f"http://{host}:{port}", api_key="a-secret-key", backoff=(0.001, 0.002), timeout=10)
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


OK = (200, "{}", {})
SIDE = {"wavenumbers": [1.0, 2.0], "spectra": [[0.0, 1.0]]}


class Behaviour(unittest.TestCase):
    def test_retries_only_what_may_pass(self):
        for answers, requests, error in [
            ([(503, "{}", {}), OK], 2, None),
            (["cut", OK], 2, None),
            ([(503, "{}", {})], 4, ServiceError),
            ([(500, '{"detail":"internal error"}', {})], 1, ServiceError),
            ([(429, "{}", {"Retry-After": "7"})], 1, ServiceError),
            ([(422, "{}", {})], 1, ServiceError),
            ([(302, "{}", {"Location": "http://127.0.0.1:1/"})], 1, ServiceError),
            ([(200, "<html>", {})], 1, BadAnswer),
        ]:
            with self.subTest(answers=answers), Canned(*answers) as canned:
                if error is None:
                    self.assertEqual(canned.client.verify(SIDE, SIDE), {})
                else:
                    self.assertRaises(error, canned.client.verify, SIDE, SIDE)
                self.assertEqual(len(canned.seen), requests)

    def test_errors_carry_what_the_service_said(self):
        body = json.dumps({"detail": "rough: no parseable spectra", "code": "unreadable"})
        with Canned((400, body, {"X-Request-Id": "r-1"})) as canned:
            with self.assertRaises(ServiceError) as caught:
                canned.client.verify(SIDE, SIDE)
        error = caught.exception
        self.assertEqual((error.status, error.detail, error.request_id), (400, "rough: no parseable spectra", "r-1"))
        self.assertEqual(error.body["code"], "unreadable")
        self.assertNotIn("a-secret-key", repr(error))

    def test_refuses_before_sending(self):
        with Canned(OK) as canned:
            self.assertRaises(ValueError, canned.client.verify, {**SIDE, "spectra": [[0.0, float("nan")]]}, SIDE)
            self.assertRaises(ValueError, canned.client.verify_files, [], ["x"])
            self.assertRaises(ValueError, canned.client.lot_bounds)
            self.assertRaises(ValueError, Client("http://x", workspace_token="t").enrol_lot, "lot", [])
            self.assertRaises(OSError, canned.client.verify_files, ["nowhere.csv"], ["nowhere.csv"])
            self.assertEqual(canned.seen, [])

    def test_labels_go_in_calls_of_5000(self):
        with Canned((200, '{"results":[],"counts":{}}', {})) as canned:
            labels = [{"claim_id": str(i), "expected": "match"} for i in range(5001)]
            self.assertEqual(len(list(canned.client.label(labels))), 2)
            self.assertEqual([len(json.loads(body)) for _, _, body in canned.seen], [5000, 1])

    def test_nobody_there(self):
        client = Client("http://127.0.0.1:9", api_key="k", retries=0)
        self.assertRaises(ConnectionFailed, client.claims_summary)

    def test_decide(self):
        for verdict, p, options, decision in [
            ("MATCH", 0.2, {}, {"action": "accept"}),
            ("NO_MATCH", 0.995, {}, {"action": "review"}),
            ("NO_MATCH", 0.60, {}, {"action": "review"}),
            ("NO_MATCH", 0.59, {}, {"action": "reject"}),
        ]:
            self.assertEqual(decide({"verdict": verdict, "p_match_5050": p}, **options), decision)
        real = decide({"verdict": "NO_MATCH", "p_match_5050": 0.75}, prior=0.95)
        self.assertAlmostEqual(real["p_real"], 0.7125 / 0.725)
        self.assertRaises(ValueError, decide, {"verdict": "MATCH", "p_match_5050": 0.5}, prior=1)


@unittest.skipUnless("MATCH_URL" in os.environ, "no service is named")
class AgainstTheService(unittest.TestCase):
    def test_files_and_numbers(self):
        service = Client(os.environ["MATCH_URL"], api_key=os.environ["MATCH_API_KEY"])
        self.assertEqual(service.claims_summary()["service"], "match-verification")
        scans = sorted(Path(os.environ["SCANS"]).glob("*.csv"))
        sides = {side: [path for path in scans if f"_{side}_" in path.name] for side in ("rough", "polish")}
        from_files = service.verify_files(**sides)
        self.assertEqual(from_files["verdict"], "MATCH")

        def numbers(paths):
            rows = [[tuple(map(float, line.split(","))) for line in path.read_text().split()] for path in paths]
            return {"wavenumbers": [x for x, _ in rows[0]], "spectra": [[y for _, y in scan] for scan in rows]}

        from_numbers = service.verify(numbers(sides["rough"]), numbers(sides["polish"]))
        self.assertEqual(from_numbers["fused_score"], from_files["fused_score"])
        label = {"claim_id": from_files["claim_id"], "expected": "match"}
        self.assertEqual([part["counts"]["accepted"] for part in service.label([label])], [1])

    def test_lots(self):
        service = Client(os.environ["MATCH_URL"], workspace_token=os.environ["MATCH_TOKEN"])
        self.assertEqual(service.lot_bounds()["stamped"], "2026-09-10")
        scans = {part: sorted((Path(os.environ["LOT"]) / part).glob("*.csv")) for part in ("enrol", "back")}
        lot = service.enrol_lot("spring", scans["enrol"], "shaken")
        self.assertEqual(service.enrol_lot("spring", scans["enrol"])["lot_id"], lot["lot_id"])
        check = service.check_lot(lot["lot_id"], scans["back"], "shaken")
        self.assertEqual((len(lot["stones"]), check["counts"]["returned"]), (10, 10))
        self.assertEqual(service.rehearse_lot(lot["lot_id"], seed=3, draws=10)["offered"], 20)
        self.assertEqual([one["name"] for one in service.lots()], ["spring"])
        self.assertEqual(service.lot(lot["lot_id"])["check_count"], 1)
        self.assertRaises(ValueError, service.verify, SIDE, SIDE)


if __name__ == "__main__":
    unittest.main()
