"""Run against a running service: MATCH_URL, MATCH_API_KEY, SCANS (a folder). Without them, only what needs none."""

import asyncio
import doctest
import http.server
import json
import os
import threading
import unittest
import warnings
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

import match_verification as mv
import match_verification._decide
from match_verification import _http, _receipt
from match_verification import AsyncClient, BadAnswer, BadInput, Client, ConnectionFailed, ServiceError, Unavailable, decide


class Canned:
    """A service that gives the answers it was told, the last one for ever."""

    def __init__(self, *answers):
        self.answers, self.seen, self.ended = list(answers), [], threading.Event()
        canned = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                canned.seen.append((self.path, dict(self.headers), body))
                answer = canned.answers[min(len(canned.seen), len(canned.answers)) - 1]
                if answer == "cut":
                    self.connection.close()
                    return
                if answer == "silent":
                    canned.ended.wait()
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

    @property
    def url(self):
        return "http://%s:%d" % self.server.server_address

    def __enter__(self):
        self.client = Client(self.url, api_key="a-secret-key", backoff=(0.001, 0.002), timeout=10)
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


OK = (200, "{}", {})
SIDE = {"wavenumbers": [1.0, 2.0], "spectra": [[0.0, 1.0]]}


class Receipts(unittest.TestCase):
    def test_verifies_and_refuses(self):
        # RFC 8037, appendix A: key and signature of another tool.
        key = {"kid": "k", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
        signed = (
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        )
        head, body, signature = signed.split(".")
        self.assertTrue(_receipt._signs(_receipt._bytes(key["x"]), _receipt._bytes(signature), f"{head}.{body}".encode()))
        self.assertFalse(_receipt._signs(_receipt._bytes(key["x"]), _receipt._bytes(signature), f"{head}.{body}x".encode()))
        for receipt in ("", signed, f"{signed}A", f"{head}.{body}.", signed.replace(".", "\n", 1)):
            with self.assertRaises(mv.InvalidReceipt):
                mv.verify_receipt(receipt, {"keys": [key]})


class Behaviour(unittest.TestCase):
    def test_retries_only_what_may_pass(self):
        for answers, requests, error in [
            ([(503, "{}", {}), OK], 2, None),
            (["cut", OK], 2, None),
            ([(429, "{}", {"Retry-After": "0"}), OK], 2, None),
            ([(503, "{}", {"Retry-After": format_datetime(datetime.now(timezone.utc))}), OK], 2, None),
            ([(503, "{}", {})], 4, mv.Unavailable),
            ([(503, "{}", {"Retry-After": "61"})], 1, mv.Unavailable),
            ([(429, "{}", {"Retry-After": "3600"})], 1, mv.RateLimited),
            ([(500, '{"detail":"internal error"}', {})], 1, mv.ServiceFault),
            ([(401, "{}", {})], 1, mv.Authentication),
            ([(403, "{}", {})], 1, mv.PermissionDenied),
            ([(404, "{}", {})], 1, mv.NotFound),
            ([(409, "{}", {})], 1, mv.Conflict),
            ([(422, "{}", {})], 1, mv.InvalidRequest),
            ([(418, "{}", {})], 1, mv.InvalidRequest),
            ([(302, "{}", {"Location": "http://127.0.0.1:1/"})], 1, mv.UnexpectedAnswer),
            ([(200, "<html>", {})], 1, BadAnswer),
            ([(200, "[1, 2]", {})], 1, mv.UnexpectedAnswer),
            ([(200, "[" * 100_000, {})], 1, mv.UnexpectedAnswer),
            ([(502, "<html>", {}), OK], 2, None),
        ]:
            with self.subTest(answers=str(answers)[:80]), Canned(*answers) as canned:
                if error is None:
                    self.assertEqual(canned.client.verify(SIDE, SIDE), {})
                else:
                    self.assertRaises(error, canned.client.verify, SIDE, SIDE)
                self.assertEqual(len(canned.seen), requests)

    def test_makes_nothing_twice(self):
        operator = {"operator_key": "an-operator"}
        with Canned((503, "{}", {}), OK) as canned:
            service = Client(canned.url, **operator, backoff=(0.001, 0.002))
            self.assertRaises(mv.Unavailable, service.create_key, name="x")
            self.assertEqual(len(canned.seen), 1)
        # Beyond its rate nothing was done.
        with Canned((429, "{}", {"Retry-After": "0"}), OK) as canned:
            Client(canned.url, **operator, backoff=(0.001, 0.002)).create_key(name="x")
            self.assertEqual(len(canned.seen), 2)

    def test_retry_after_as_a_date(self):
        at = datetime(2026, 11, 22, 12, tzinfo=timezone.utc)
        later = format_datetime(at + timedelta(seconds=90), usegmt=True)
        from match_verification._http import seconds_of

        self.assertEqual([seconds_of(text, at) for text in (later, "7", "soon", None)], [90.0, 7.0, None, None])

    def test_options_of_a_call(self):
        with Canned((503, "{}", {})) as canned:
            self.assertRaises(mv.Unavailable, canned.client.with_options(retries=1).verify, SIDE, SIDE)
            self.assertEqual(len(canned.seen), 2)
            self.assertRaises(ValueError, canned.client.with_options, api_key="other")
        with Canned("silent") as canned:
            service = canned.client.with_options(timeout=0.05, retries=0)
            self.assertRaises(mv.Timeout, service.verify, SIDE, SIDE)

    def test_a_set_cancel_ends_the_wait(self):
        cancel = threading.Event()
        with Canned((503, "{}", {"Retry-After": "50"})) as canned:
            service = canned.client.with_options(cancel=cancel, on_response=lambda *_: cancel.set())
            self.assertRaises(mv.Aborted, service.verify, SIDE, SIDE)
            self.assertEqual(len(canned.seen), 1)

    def test_hooks_and_raw_answers(self):
        seen, sent = [], []
        with Canned((200, '{"verdict":"MATCH"}', {"X-Request-Id": "r-7"})) as canned:
            service = canned.client.with_options(
                on_request=lambda request: seen.append(repr(request)),
                on_response=lambda _, response: seen.append(response.status),
                on_upload=lambda done, total: sent.append((done, total)),
                raw=True,
            )
            raw = service.verify(SIDE, SIDE)
        self.assertEqual((raw.status, raw.headers["x-request-id"], raw.answer), (200, "r-7", {"verdict": "MATCH"}))
        self.assertEqual(seen[1], 200)
        self.assertNotIn("a-secret-key", seen[0])
        self.assertEqual(sent[-1][0], sent[-1][1])
        self.assertIn("match-verification-python/", canned.seen[0][1]["User-Agent"])

    def test_shows_no_key(self):
        service = Client("http://x", api_key="a-secret-key", operator_key="another-secret")
        shown = f"{service!r} {service} {vars(service)} {AsyncClient('http://x', api_key='a-secret-key')!r}"
        self.assertIn("api_key=***", shown)
        self.assertNotIn("secret-key", shown)
        self.assertRaises(TypeError, __import__("pickle").dumps, service)
        with self.assertRaises(ValueError) as caught:
            Client("http://x", api_key="a-secret-key\n")
        self.assertNotIn("secret", str(caught.exception))

    def test_a_transport_of_ones_own(self):
        def transport(request):
            return mv.Response(200, {}, json.dumps({"url": request.url, "method": request.method}).encode())

        service = Client("http://x", operator_key="k", transport=transport)
        self.assertEqual(service.get_claim("a/b")["url"], "http://x/api/v1/claims/a%2Fb")

    def test_takes_a_stream_up_where_it_was_cut_off(self):
        def event(number):
            return 'id: %d\nevent: claim\ndata: {"claim_id": "c%d"}\n\n' % (number, number)

        with Canned((200, "retry: 2000\nid: 4\n\n", {}), (200, event(5) + ":\n\n" + event(7), {}), (200, event(8), {}), (401, "{}", {})) as canned:
            service = Client(canned.url, operator_key="an-operator-key", backoff=(0.001, 0.002))
            seen = []
            with self.assertRaises(mv.Authentication):
                for event_id, row in service.stream_claims():
                    seen.append((event_id, row["claim_id"]))
            self.assertEqual(seen, [("5", "c5"), ("7", "c7"), ("8", "c8")])
            self.assertEqual([headers.get("Last-Event-Id") for _, headers, _ in canned.seen], [None, "4", "7", "8"])

    def test_takes_no_header_at_its_word(self):
        with Canned((503, "{}", {"Retry-After": "\u00b2"})) as canned:
            with self.assertRaises(Unavailable) as caught:
                Client(canned.url, retries=0).show_contract()
            self.assertIsNone(caught.exception.retry_after)
        self.assertEqual(_http._whole("12"), 12)
        for wrong in ("abc", "\u00b2", "-1", "9" * 30, "", None):
            self.assertIsNone(_http._whole(wrong))

    def test_gets_one_page_with_its_total(self):
        page = {"items": [], "next_cursor": None, "total": 12, "total_exact": True}
        with Canned((200, json.dumps(page), {})) as canned:
            service = Client(canned.url, operator_key="an-operator-key")
            self.assertEqual(service.list_claim_rows_page(limit=50, sort="distance", p_max=0.8, total=True), page)
            self.assertEqual(service.list_findings_page(status="open", cursor="c"), page)
            paths = ["/api/v1/claims/rows?limit=50&p_max=0.8&sort=distance&total=true", "/api/v1/findings?cursor=c&status=open"]
            self.assertEqual([path for path, _, _ in canned.seen], paths)

    def test_walks_all_pages(self):
        pages = [
            (200, json.dumps({"items": items, "next_cursor": cursor}), {})
            for items, cursor in ([[1, 2], "c"], [[], "d"], [[3], None])
        ]
        with Canned(*pages) as canned:
            service = Client(canned.url, operator_key="k")
            self.assertEqual(list(service.list_claims(limit=2, reviewed=False, from_="2026-01-01T00:00:00Z")), [1, 2, 3])
            first, _, last = [path.split("?")[1] for path, _, _ in canned.seen]
        self.assertEqual(first, "limit=2&from=2026-01-01T00%3A00%3A00Z&reviewed=false")
        self.assertTrue(last.endswith("&cursor=d"))

    def test_says_once_that_the_service_is_older(self):
        for version, times in [("0.0.9", 1), (mv.CONTRACT_VERSION, 0), ("99.0.0", 0)]:
            with Canned((200, "{}", {"X-Svc-Version": version})) as canned, warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                canned.client.verify(SIDE, SIDE)
                canned.client.with_options(retries=0).verify(SIDE, SIDE)
            self.assertEqual(len(caught), times, version)

    def test_asyncio(self):
        async def calls(url):
            service = AsyncClient(url, api_key="k", operator_key="o", backoff=(0.001, 0.002))
            verdicts = await asyncio.gather(*(service.verify(SIDE, SIDE) for _ in range(3)))
            items = [item async for item in service.with_options(retries=0).list_findings()]
            self.assertRaises(AttributeError, getattr, service, "_send")
            return verdicts, items

        with Canned((200, '{"items":[1],"next_cursor":null}', {})) as canned:
            verdicts, items = asyncio.run(calls(canned.url))
        self.assertEqual((len(verdicts), items), (3, [1]))

    def test_the_worked_numbers(self):
        self.assertEqual(doctest.testmod(mv._decide).failed, 0)

    def test_errors_carry_what_the_service_said(self):
        body = json.dumps({"detail": "rough: no parseable spectra", "code": "unparseable", "side": "rough", "file": "a.0"})
        with Canned((400, body, {"X-Request-Id": "r-1"})) as canned:
            with self.assertRaises(ServiceError) as caught:
                canned.client.verify(SIDE, SIDE)
        error = caught.exception
        self.assertEqual((error.status, error.detail, error.request_id), (400, "rough: no parseable spectra", "r-1"))
        self.assertEqual((error.code, error.side, error.file), ("unparseable", "rough", "a.0"))
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

    def test_a_file_that_is_not_there(self):
        with Canned() as canned:
            self.assertRaisesRegex(BadInput, "nowhere.csv cannot be read", canned.client.verify_files, ["nowhere.csv"], ["x"])
            self.assertEqual(canned.seen, [])

    def test_a_key_that_no_header_may_carry(self):
        for wrong in ["two words", "line\n", "tab\t", "\x7f", "\x00", "\u2019"]:
            for name in ["api_key", "operator_key", "workspace_token", "replay_key"]:
                self.assertRaises(BadInput, Client, "http://127.0.0.1:9", **{name: f"SECRET{wrong}"})

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
        shared = {"verdict": "MATCH", "p_match_5050": 0.99, "shared_scans": 1}
        self.assertEqual([decide(shared)["action"], decide(shared, review_at=0.9)["action"]], ["review", "review"])
        doubted = {"verdict": "MATCH", "p_match_5050": 0.99, "action_reasons": [{"code": "off_manifold", "text": ""}]}
        self.assertEqual(decide(doubted, review_at=0.9)["action"], "review")
        recommended = {"verdict": "NO_MATCH", "p_match_5050": 0.7, "action": "reject"}
        self.assertEqual(decide(recommended)["action"], "reject")
        self.assertEqual(decide(recommended, review_at=0.65)["action"], "review")
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
        said = mv.verify_receipt(from_files["receipt"], service.show_contract()["receipt_keys"])
        self.assertEqual((said["claim_id"], said["verdict"]), (from_files["claim_id"], "MATCH"))
        with self.assertRaises(mv.InvalidReceipt):
            mv.verify_receipt(from_files["receipt"][:-86] + "A" * 86, service.show_contract()["receipt_keys"])
        named = service.verify_files(sides["rough"], str(sides["polish"][0]), rough_stone_id="R", polish_stone_id="P")
        self.assertEqual(named["stone_ids"], {"rough": ["R"], "polish": ["P"]})

    def test_a_key_is_made_once(self):
        service = Client(os.environ["MATCH_URL"], operator_key=os.environ["MATCH_OPERATOR_KEY"])
        first, again = [service.create_key(name="once", idempotency_key="one") for _ in range(2)]
        self.assertEqual(again["key"], first["key"])
        self.assertRaises(mv.Conflict, service.create_key, name="once", idempotency_key="two")

    def test_in_a_block(self):
        async def one():
            async with AsyncClient(os.environ["MATCH_URL"]) as service:
                return (await service.show_contract())["service"]

        self.assertEqual(asyncio.run(one()), "match-verification")

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
