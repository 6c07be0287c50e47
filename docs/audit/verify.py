#!/usr/bin/env python3
"""Verifies an unpacked audit bundle: verify.py [root digest], in its folder. Needs Python 3 and numpy.

Written from calibration-method.md alone, as the proof that the page suffices. Exits 0 and prints OK; 1 and what
differs; 2 when it cannot read.
"""

import base64
import hashlib
import json
import math
import os
import re
import sys
import time

import numpy as np

LENGTH = 256
METHOD = "cross-pairs/1"
NEEDED = {99: 40, 98: 75, 97: 150, 96: 200, 95: 400, 94: 800, 93: 1200, 92: 1200}


# Rows that are scored at a time.
BLOCK = 256
REACH = 2


class Differs(Exception):
    pass


class Progress:
    """A word on stderr every two seconds."""

    def __init__(self, total, what):
        self.total, self.what, self.next = total, what, time.monotonic() + 2

    def tell(self, done):
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + 2
            print(f"{self.what}: {100 * done // self.total}% of the pairs scored", file=sys.stderr)


def differs(file, what):
    raise Differs(f"{file}: {what}")


def text_of(value):
    """Section 2's json(x). A lone surrogate is written as its escape, as JSON.stringify does."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def sha256(*parts):
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.digest()


def parsed(file, text):
    try:
        return json.loads(text)
    except ValueError:
        return differs(file, "holds something that is no JSON")


def objects(file):
    with open(file, "rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                differs(file, "its last line is cut")
            yield parsed(file, line)


def check_files(root):
    """Every file has the bytes that the manifest promises, and there is no other."""
    with open("manifest.json", "rb") as file:
        content = file.read()
    digest = sha256(content).hex()
    manifest = parsed("manifest.json", content)
    canonical = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    if canonical.encode("utf-8", "surrogatepass") != content:
        differs("manifest.json", "is not in the canonical form")
    if sorted(manifest) != ["files", "format"] or manifest["format"] != "mvs-audit/1":
        differs("manifest.json", "has other fields or another format")
    if any("path" not in file for file in manifest["files"]):
        differs("manifest.json", "names a file without a path")
    files = {file["path"]: file for file in manifest["files"]}
    if list(files) != sorted(files) or len(files) != len(manifest["files"]):
        differs("manifest.json", "has paths out of order")
    for path, entry in files.items():
        fields = ["bytes", "path", "sha256"] + (["shape", "type"] if path.endswith(".f32") else [])
        if sorted(entry) != fields or not re.fullmatch(r"[\w-]+([./][\w-]+)*", path, re.ASCII):
            differs("manifest.json", f"{path} has other fields than {fields}")
    present = {
        os.path.relpath(os.path.join(folder, name)).replace(os.sep, "/")
        for folder, _, names in os.walk(".")
        for name in names
    }
    wrong = [f"{path}: is not in manifest.json" for path in sorted(present - set(files) - {"manifest.json"})]
    for path, entry in files.items():
        if path not in present:
            wrong.append(f"{path}: is missing, though manifest.json names it")
            continue
        found, size = hashlib.sha256(), 0
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                found.update(piece)
                size += len(piece)
        if size != entry["bytes"] or found.hexdigest() != entry["sha256"]:
            wrong.append(f"{path}: is not what manifest.json has the size and SHA-256 of")
    if wrong:
        raise Differs("\n".join(wrong))
    if root is not None and root != digest:
        differs("manifest.json", f"its digest is {digest}, not {root}")
    return digest, files


class Evidence:
    """Claims and vectors of a model, with the chain of digests. Section 2."""

    def __init__(self, population, model, encoders, claims, files):
        if not re.fullmatch("[0-9a-f]{64}", model):
            differs("decisions.json", "has a model that is no digest")
        self.folder = f"evidence/{model}"
        self.encoders = encoders
        self.vector_file = f"{self.folder}/vectors.f32"
        self.claim_file = f"{self.folder}/claims.ndjson"
        entry = files.get(self.vector_file)
        if entry is None or self.claim_file not in files:
            differs(self.folder, "claims or vectors are missing")
        shape = (-1, len(encoders), LENGTH)
        self.vectors = np.fromfile(self.vector_file, "<f4").reshape(shape)
        if entry["type"] != "float32le" or entry["shape"] != list(self.vectors.shape):
            differs("manifest.json", f"{self.vector_file} has another shape")
        self.claims = list(objects(self.claim_file))
        self.row_of = {}
        self.chain = [sha256(text_of(["mvs-evidence/1", population, model, encoders]))]
        for claim in self.claims:
            rough, polish = claim["rough"], claim["polish"]
            for side in (rough, polish):
                if not 0 <= side["row"] < len(self.vectors):
                    differs(self.claim_file, f"has row {side['row']}")
                if self.row_of.setdefault(side["digest"], side["row"]) != side["row"]:
                    differs(self.claim_file, f"has two rows of set {side['digest']}")
            line = [claim["claim_id"], rough["digest"], polish["digest"], rough["references"], polish["references"]]
            parts = [self.vectors[side["row"]].tobytes() for side in (rough, polish)]
            self.chain.append(sha256(self.chain[-1], text_of(line), b"\n", *parts))
        if len(self.claims) != claims:
            differs(self.claim_file, f"has {len(self.claims)} claims, not {claims}")
        if len(self.row_of) != len(self.vectors):
            differs(self.vector_file, "has rows that no claim has")


def check_events(population, evidence, decisions):
    """The counted claims once more, out of the events. Section 1."""

    def on_manifold(side):
        return -0.23 <= side["detail_residual"] <= 0.31

    decided = 0
    banked = {model: set() for model in evidence}
    submitted = {}
    scored = set()
    pairs = {model: set() for model in evidence}
    count = dict.fromkeys(evidence, 0)
    for event in objects("events.ndjson"):
        kind, data = event["type"], event["data"]
        if kind in ("ApprovalRequested", "RungApproved", "RungWithdrawn"):
            expected = {"event": kind, "revision": event["revision"], **data}
            if event["revision"] != decided or decided >= len(decisions) or decisions[decided] != expected:
                differs("decisions.json", f"its decision {decided} is not that of events.ndjson")
            decided += 1
        elif kind == "ScanSetBanked":
            model, digest = data["model"], data["digest"]
            held = evidence.get(model)
            if held is None or data["population"] != population or digest in banked[model]:
                continue
            vectors = [base64.b64decode(data["vectors"][name]) for name in held.encoders]
            if any(len(one) != 4 * LENGTH or not np.isfinite(np.frombuffer(one, "<f4")).all() for one in vectors):
                continue
            banked[model].add(digest)
            row = held.row_of.get(digest)
            if row is not None and b"".join(vectors) != held.vectors[row].tobytes():
                differs(held.vector_file, f"row {row} is not what events.ndjson has banked")
        elif kind == "ClaimSubmitted":
            key = data["key"]
            counts = key["kind"] == "production" and on_manifold(data["rough"]) and on_manifold(data["polish"])
            if key["population"] == population and counts:
                submitted.setdefault(data["claim_id"], data)
        elif kind in ("ClaimScored", "ClaimShadowScored"):
            claim = submitted.get(data["claim_id"])
            if claim is None:
                continue
            if kind == "ClaimScored":
                scored.add(data["claim_id"])
            model = claim["model"] if kind == "ClaimScored" else data["model"]
            held = evidence.get(model)
            if held is None or data["claim_id"] not in scored or count[model] == len(held.claims):
                continue
            pair = (claim["rough"]["digest"], claim["polish"]["digest"])
            if not banked[model].issuperset(pair) or pair in pairs[model]:
                continue
            pairs[model].add(pair)
            expected = {"claim_id": data["claim_id"]}
            for name in ("rough", "polish"):
                digest = claim[name]["digest"]
                expected[name] = {
                    "digest": digest,
                    "references": claim[name]["references"],
                    "row": held.row_of.get(digest),
                }
            if held.claims[count[model]] != expected:
                differs(held.claim_file, f"line {count[model] + 1} is not the claim of events.ndjson")
            count[model] += 1
        elif kind not in ("ClaimLabelled", "LabelAmended"):
            differs("events.ndjson", f"has an event {kind}")
    if decided != len(decisions):
        differs("decisions.json", "has decisions that events.ndjson has not")
    for model, held in evidence.items():
        if count[model] != len(held.claims):
            differs(held.claim_file, "has claims that events.ndjson has not")


def scores_of(a, b):
    """Section 4, of rows that numpy broadcasts over each other: the 256 products are added one after the other."""
    total = None
    for encoder in range(a.shape[-2]):
        cosine = 0.0
        for i in range(LENGTH):
            cosine = cosine + a[..., encoder, i].astype(np.float64) * b[..., encoder, i].astype(np.float64)
        total = cosine if total is None else total + cosine
    return total / a.shape[-2]


def rough_scores(a, b):
    """Section 4 of all rows of a with all of b, in whatever order is fast: off by less than 1e-12."""
    flat = [one.reshape(len(one), -1).astype(np.float64) for one in (a, b)]
    return flat[0] @ flat[1].T / a.shape[-2]


def fast_bins(a, b):
    """Section 7: the same in float32, as bins."""
    total = np.float32(0)
    for encoder in range(a.shape[-2]):
        cosine = np.float32(0)
        for i in range(LENGTH):
            cosine = cosine + a[..., encoder, i] * b[..., encoder, i]
        total = total + cosine
    return np.floor((total.astype(np.float64) / a.shape[-2] + 2) * 32768).astype(np.int64)


class Stones:
    """Section 3, of one side."""

    def __init__(self, held, claims, side):
        self.first, self.digests, self.bases, self.of_set, self.holders = [], [], [], {}, {}
        rows = list(dict.fromkeys(claim[side]["row"] for claim in claims))
        place = {row: i for i, row in enumerate(rows)}
        before, near = 0, None
        for claim in claims:
            digest, row = claim[side]["digest"], claim[side]["row"]
            bases = [re.sub(r"\.[0-9]+\Z", "", reference) for reference in claim[side]["references"]]
            stone = self.of_set.get(digest)
            if stone is None:
                if place[row] >= before:
                    # The next rows, against all up to them.
                    block = place[row]
                    before = block + BLOCK
                    scores = rough_scores(held.vectors[rows[block:before]], held.vectors[rows[:before]])
                    near = [np.flatnonzero(line > 0.9995 - 1e-9) for line in scores]
                known = [self.holders[base] for base in bases if base in self.holders]
                if known:
                    stone = min(known)
                else:
                    alike = {rows[other] for other in near[place[row] - block] if other < place[row]}
                    if alike:
                        stone = self.nearest(held, row, alike)
                if stone is None:
                    stone = len(self.first)
                    self.first.append(row)
                    self.digests.append(set())
                    self.bases.append(set())
                self.of_set[digest] = stone
                self.digests[stone].add(digest)
            for base in bases:
                if base not in self.holders:
                    self.holders[base] = stone
                    self.bases[stone].add(base)

    def nearest(self, held, row, alike):
        """The earliest stone whose first row is among those alike and nearly identical, or None."""
        for stone, first in enumerate(self.first):
            if first in alike and scores_of(held.vectors[row], held.vectors[first]) > 0.9995:
                return stone
        return None


class Measured:
    """Sections 5 to 8, of the first n claims.

    The table holds each pair's score in steps of 2^-15 (0 where it is left out). A score, and a bin of section 7, lies
    within a step of what the table says, so that a quantile is among the pairs within REACH of it.
    """

    def __init__(self, held, n):
        claims = held.claims[:n]
        rough, polish = Stones(held, claims, "rough"), Stones(held, claims, "polish")
        self.n, self.polishes, self.roughs = n, len(polish.first), len(rough.first)
        self.a, self.b = held.vectors[polish.first], held.vectors[rough.first]
        self.table = np.empty((self.polishes, self.roughs), np.uint16)
        progress = Progress(self.polishes, f"{self.polishes} x {self.roughs} stones")
        for start in range(0, self.polishes, BLOCK):
            scores = rough_scores(self.a[start : start + BLOCK], self.b)
            self.table[start : start + BLOCK] = np.clip(np.floor((scores + 1) * 32768), 1, 65535)
            progress.tell(start)
        self.unit = np.full(self.polishes, -1)
        for claim in claims:
            p, q = polish.of_set[claim["polish"]["digest"]], rough.of_set[claim["rough"]["digest"]]
            self.table[p, q] = 0
            if self.unit[p] < 0:
                self.unit[p] = q
        for p in range(self.polishes):
            for mine, theirs in ((polish.bases[p], rough.holders), (polish.digests[p], rough.of_set)):
                for one in mine:
                    if one in theirs:
                        self.table[p, theirs[one]] = 0
        self.counts, self.touching = np.zeros(65536, np.int64), np.zeros(self.roughs, np.int64)
        for p, line in enumerate(self.table):
            self.counts += np.bincount(line, minlength=65536)
            self.touching += line > 0
            self.touching[self.unit[p]] += np.count_nonzero(line)
        self.pairs = self.table.size - int(self.counts[0])
        self.counts[0] = 0
        sides = [held.vectors[[claim[side]["row"] for claim in claims]] for side in ("polish", "rough")]
        self.own = scores_of(*sides)

    def near(self, k):
        """The step where the k-th smallest lies, and the pairs within reach of it."""
        step = int(np.searchsorted(np.cumsum(self.counts), k))
        low = max(step - REACH, 1)
        found = [np.nonzero((lines >= low) & (lines <= step + REACH)) for lines in self.blocks()]
        p = np.concatenate([BLOCK * i + rows for i, (rows, _) in enumerate(found)])
        return step, p, np.concatenate([columns for _, columns in found])

    def blocks(self):
        return [self.table[start : start + BLOCK] for start in range(0, self.polishes, BLOCK)]

    def nth(self, k, step, values):
        """The k-th smallest, out of the values near it."""
        below = int(self.counts[: max(step - REACH, 1)].sum())
        return np.sort(values)[k - below - 1].item()

    def kth(self, percent):
        k = (percent * self.pairs + 99) // 100
        step, p, q = self.near(k)
        return self.nth(k, step, self.each(scores_of, p, q))

    def each(self, of, p, q):
        """Of each pair, some at a time."""
        parts = [slice(start, start + 4096) for start in range(0, len(p), 4096)]
        return np.concatenate([of(self.a[p[part]], self.b[q[part]]) for part in parts])

    def rung(self, percent):
        count = self.pairs
        k = (percent * count + 99) // 100
        step, p, q = self.near(k)
        scores = self.each(scores_of, p, q)
        t = self.nth(k, step, scores)
        p, q = p[scores > t], q[scores > t]
        above_by = np.bincount(self.unit[p], minlength=self.roughs) + np.bincount(q, minlength=self.roughs)
        for start, lines in zip(range(0, self.polishes, BLOCK), self.blocks()):
            exceeds = lines > step + REACH
            above_by += exceeds.sum(axis=0)
            np.add.at(above_by, self.unit[start : start + BLOCK], exceeds.sum(axis=1))
        share = int(above_by.sum()) // 2 / count
        squares = 0.0
        for above, touched in zip(above_by.tolist(), self.touching.tolist()):
            influence = above - share * touched
            squares += influence * influence
        error = math.sqrt(squares) / count
        z = 1.959963984540054

        def bin_at(at):
            k = min(max(math.ceil(at * count), 1), count)
            step, p, q = self.near(k)
            return self.nth(k, step, self.each(fast_bins, p, q))

        low = bin_at(percent / 100 - z * error) / 32768 - 2 - 1 / 32768
        high = (bin_at(percent / 100 + z * error) + 1) / 32768 - 2 + 1 / 32768
        estimate, accept_error, reason = self.genuine_accept(t, percent / 100)
        return {
            "claims": self.n,
            "roughs": self.roughs,
            "polishes": self.polishes,
            "pairs": count,
            "threshold": t,
            "interval": [low, high],
            "wrong_per_1000": 1000 * share,
            "expected_genuine_accept": estimate,
            "expected_genuine_accept_error": accept_error,
            "expected_genuine_accept_reason": reason,
        }

    def genuine_accept(self, t, r):
        n = self.n

        def at_most(mark):
            return int((self.own <= mark).sum())

        if n < 100:
            return None, None, "too few claims"
        below = at_most(self.kth(80))
        low = below / n
        q = 1 - low / 0.8
        if q < 0.6:
            return None, None, "too few genuine claims"
        if below > 0 and (at_most(self.kth(20)) - 0.25 * below) / math.sqrt(below * 0.25 * 0.75) < -1.645:
            return None, None, "genuine claims score like wrong ones"
        above = 1 - at_most(t) / n
        estimate = (above - (1 - q) * (1 - r)) / q
        x = 1 / q
        y = (above - (1 - r)) / (q * q) / 0.8
        variance = x * x * above * (1 - above) + y * y * low * (1 - low) - 2 * x * y * above * low
        error = math.sqrt(max(variance, 0) / n)
        if error > 0.03:
            return None, None, "too uncertain"
        return min(max(estimate, 0), 1), error, None


def check_approvals(population, evidence, decisions):
    """Every approval against what its claims give."""
    wrong, measured, before = [], {}, 0
    for decision in decisions:
        if decision["event"] == "RungApproved":
            proposal = decision["proposal"]
            model, n = proposal["model"], proposal["claims"]
            held = evidence.get(model)
            if held is None or n > len(held.claims):
                differs("decisions.json", f"decision {decision['revision']} rests on claims that are not here")
            percent = round(decision["reject_target"] * 100)
            rung = f"{percent / 100:.2f}"
            if (model, n) not in measured:
                measured[model, n] = Measured(held, n)
            link = held.chain[n].hex()
            line = ["mvs-proposal/1", METHOD, population, model, rung, before, n, link]
            expected = {
                "method": METHOD,
                "decisions": before,
                "evidence_digest": link,
                "digest": sha256(text_of(line)).hex(),
                **measured[model, n].rung(percent),
            }
            where = f"decisions.json: approval {decision['revision']} at {rung}"
            for field, value in expected.items():
                if proposal[field] != value:
                    wrong.append(f"{where}: {field} is {proposal[field]}, the claims give {value}")
            needed = NEEDED.get(percent, math.inf)
            if n < needed or min(expected["roughs"], expected["polishes"]) < needed / 2:
                wrong.append(f"{where}: not enough claims or stones")
        if decision["event"] != "ApprovalRequested":
            before += 1
    if wrong:
        raise Differs("\n".join(wrong))


def main(arguments):
    if len(arguments) > 1 or not all(re.fullmatch("[0-9a-fA-F]{64}", one) for one in arguments):
        raise ValueError("the argument is a root digest of 64 hex digits")
    digest, files = check_files(arguments[0].lower() if arguments else None)
    for needed in ("decisions.json", "events.ndjson", "verify.mjs"):
        if needed not in files:
            differs("manifest.json", f"does not name {needed}")
    with open("decisions.json", "rb") as file:
        listed = parsed("decisions.json", file.read())
    population, decisions = listed["population"], listed["decisions"]
    evidence = {
        one["model"]: Evidence(population, one["model"], one["encoders"], one["claims"], files)
        for one in listed["models"]
    }
    check_events(population, evidence, decisions)
    check_approvals(population, evidence, decisions)
    print("OK")
    print(f"root digest {digest}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Differs as error:
        print(error)
        sys.exit(1)
    except Exception as error:  # Whatever it is, the bundle could not be read.
        print(f"cannot read: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(2)
