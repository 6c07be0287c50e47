#!/usr/bin/env python3
"""Verifies an audit bundle: verify.py [folder or zip] [root digest] [--key KEY] [--continues chain root]; by default this folder.

Needs Python 3 and numpy. Written from grammar.md and calibration-method.md alone, as the proof that the pages suffice.
Exits 0 and prints OK; 1 and what differs; 2 when it cannot read or cannot run.
"""

import argparse
import base64
import hashlib
import json
import math
import os
import re
import stat
import sys
import time
import urllib.parse
import zipfile

try:
    import numpy as np
except ImportError as error:
    print(f"cannot run: numpy is missing ({error}); install it (python3-numpy), or use verify.mjs", file=sys.stderr)
    sys.exit(2)

LENGTH = 256
# By all claims, and by the newest of many.
METHODS = ("cross-pairs/1", "cross-pairs/2")
MAPPED_METHODS = ("mapped-cross-pairs/1", "mapped-cross-pairs/2")
# Claims that make a proposal at most; the first of them changes every so many claims.
MOST_CLAIMS, STEP = 5000, 1000
# A scorer scores by the method that it was made with.
SCORER_METHODS = tuple(f"population-scorer/{version}" for version in (1, 2, 3, 4, 5))
FORMATS = ["mvs-audit/1", "mvs-audit/2", "mvs-audit/3", "mvs-audit/4"]
OF_WORKSPACE = 4
LOT_SCORER_METHOD = "lot-scorer/1"
NEEDED = {99: 40, 98: 75, 97: 150, 96: 200, 95: 400, 94: 800, 93: 1200, 92: 1200}
MOST_LINE_BYTES = 8 << 20
MOST_MANIFEST_BYTES = 1 << 20
MOST_ENTRIES = 1000
MOST_SIGNATURE_BYTES = 1024
SCORER_DECISIONS = ("ScorerRequested", "ScorerApproved", "ScorerWithdrawn")
LOT_SCORER_DECISIONS = ("LotScorerRequested", "LotScorerApproved", "LotScorerWithdrawn")
DECISIONS = ("ApprovalRequested", "RungApproved", "RungWithdrawn", *SCORER_DECISIONS)

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


def eye_of(operator):
    """What makes two operators two: of those of an identity provider, issuer and subject."""
    found = re.search(r" <([^<>]+#[^<>]+)>\Z", operator)
    return found[1] if found else operator


def shown(value):
    """For a message: at most so long, and nothing in it that a terminal would obey."""
    return json.dumps(value)[:120]


# Values as JSON.stringify writes them.


def number_text(value):
    """Python has the same digits as JavaScript, and another form below 1e-4. Larger numbers have no exponent here."""
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    if "e" not in text or not math.isfinite(value):
        return text
    digits, exponent = text.split("e")
    if int(exponent) < -6:
        return f"{digits}e{int(exponent)}"
    sign = "-" if value < 0 else ""
    return f"{sign}0.{'0' * (-int(exponent) - 1)}{digits.lstrip('-').replace('.', '')}"


def quoted(text):
    """A lone surrogate is written as its escape."""
    written = json.dumps(text, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", written)


def written(value, indent=None, pad="\n"):
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return number_text(value)
    inner = pad + " " * (indent or 0)
    if isinstance(value, list):
        opening, closing, parts = "[", "]", [written(one, indent, inner) for one in value]
    else:
        colon = ":" if indent is None else ": "
        opening, closing = "{", "}"
        parts = [quoted(name) + colon + written(one, indent, inner) for name, one in value.items()]
    if not parts:
        return opening + closing
    if indent is None:
        return opening + ",".join(parts) + closing
    return opening + inner + ("," + inner).join(parts) + pad + closing


def float_of(text):
    """A whole number with a point or an exponent becomes an int, and so is written otherwise than it was."""
    value = float(text)
    return int(value) if math.isfinite(value) and value.is_integer() and abs(value) < 2**53 else value


def no_constant(text):
    raise ValueError(text)


def parsed(file, text, indent=None):
    """A value in the one form that JSON.stringify gives it."""
    try:
        value = json.loads(text, parse_float=float_of, parse_constant=no_constant)
        plain = indent is None and json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text
        again = text if plain else written(value, indent)
    except (ValueError, RecursionError):
        return differs(file, "holds something that is no JSON")
    if again != text:
        differs(file, "holds JSON in another form than its own")
    return value


def utf8(file, content):
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return differs(file, "is no UTF-8")


def text_of(value):
    """Section 2's json(x), as bytes."""
    return written(value).encode()


def same(a, b):
    """Also in the order of members; True is not 1."""
    return written(a) == written(b)


def sha256(*parts):
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.digest()


# Kinds of values: functions that say what is wrong with a value at a place, or None.


def kind(name, test):
    return lambda value, at: None if test(value) else f"{at} is no {name}"


def is_number(value):
    if isinstance(value, float):
        return math.isfinite(value) and (not value.is_integer() or abs(value) < 2**53)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


anything = kind("", lambda value: True)
text = kind("text", lambda value: isinstance(value, str))
name = kind("name", lambda value: isinstance(value, str) and value and not re.search("[\ud800-\udfff]", value))
flag = kind("true or false", lambda value: isinstance(value, bool))
number = kind("number", is_number)
whole = kind("whole number", lambda value: is_number(value) and isinstance(value, int) and value >= 0)


def like(what, pattern):
    return kind(what, lambda value: isinstance(value, str) and re.fullmatch(pattern, value))


def one_of(*values):
    return kind(" or ".join(map(shown, values)), lambda value: not isinstance(value, bool) and value in values)


def or_null(one):
    return lambda value, at: None if value is None else one(value, at)


def every(one):
    def check(value, at):
        if not isinstance(value, list):
            return f"{at} is no list"
        return next(filter(None, (one(each, f"{at}[{i}]") for i, each in enumerate(value))), None)

    return check


def record(members, **optional):
    """These members and no others."""
    every_member = {**members, **optional}

    def check(value, at):
        if not isinstance(value, dict):
            return f"{at} is no object"
        for member in value:
            if member not in every_member:
                return f"{at} has a member {shown(member)}, which is none of its own"
        for member in members:
            if member not in value:
                return f"{at} has no {member}"
        return next(filter(None, (every_member[one](each, f"{at}.{one}") for one, each in value.items())), None)

    return check


def holding(members):
    """These members, and any others beside them."""

    def check(value, at):
        if not isinstance(value, dict):
            return f"{at} is no object"
        for member in members:
            if member not in value:
                return f"{at} has no {member}"
        return next(filter(None, (one(value[member], f"{at}.{member}") for member, one in members.items())), None)

    return check


def mapping(one):
    """Any members, all of one kind; none is named by digits alone."""

    def check(value, at):
        if not isinstance(value, dict):
            return f"{at} is no object"
        for member in value:
            if re.fullmatch("[0-9]*", member):
                return f"{at} has a member {shown(member)}, which is no name"
        return next(filter(None, (one(each, f"{at}.{shown(member)}") for member, each in value.items())), None)

    return check


def checked(file, one, value, at):
    fault = one(value, at)
    if fault is not None:
        differs(file, fault)
    return value


# The grammar of grammar.md.

digest = like("digest of 64 hex digits", "[0-9a-f]{64}")
rung = one_of(0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9)
vector = like("base64 of 1,024 bytes", "[A-Za-z0-9+/]{1365}[AQgw]==")
table_text = like("base64", "[A-Za-z0-9+/]+={0,2}")
verdict = one_of("MATCH", "NO_MATCH")

PATHS = {
    1: r"(decisions|manifest)\.json|events\.ndjson|method\.md|report\.html|verify\.mjs"
    r"|evidence/[0-9a-f]{64}/(card\.json|claims\.ndjson|vectors\.f32)"
}
PATHS[2] = PATHS[1] + r"|verify/[a-z]+\.mjs"
PATHS[3] = PATHS[2] + (
    r"|scorer\.md|evidence/[0-9a-f]{64}/(scorer-[0-9a-f]{64}\.(json|f32)|ladders-[0-9a-f]{64}\.json)"
)
PATHS[4] = (
    r"(decisions|manifest)\.json|events\.ndjson|(method|check)\.md|verify\.mjs|verify/[a-z]+\.mjs"
    r"|evidence/[0-9a-f]{64}/lot-model\.safetensors"
)

ENTRY = {"bytes": whole, "path": text, "sha256": digest}
PLAIN = record(ENTRY)
VECTORS = record({**ENTRY, "shape": every(whole), "type": one_of("float32le")})


moment = like("time", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def file_entry(entry, at):
    of_vectors = isinstance(entry, dict) and str(entry.get("path")).endswith(".f32")
    return (VECTORS if of_vectors else PLAIN)(entry, at)


SEALS = record(dict.fromkeys(["sealed", "taken", "unsealed"], whole))
MANIFEST = record({"files": every(file_entry), "format": one_of(*FORMATS)}, seals=SEALS)

SIGNATURE = record(
    {
        "algorithm": one_of("Ed25519"),
        "key": like("public key of 64 hex digits", "[0-9a-f]{64}"),
        "signature": like("signature of 128 hex digits", "[0-9a-f]{128}"),
    }
)

LISTED = {
    "population": name,
    "method": one_of(METHODS[0]),
    "models": every(record({"model": digest, "encoders": every(name), "claims": whole})),
    "decisions": every(anything),
}
CHAINED_LISTING = record({**LISTED, "chain_root": digest})
WORKSPACE = record({"id": text, "name": text})
WORKSPACE_LISTING = record(
    {
        "workspace": WORKSPACE,
        "method": one_of(LOT_SCORER_METHOD),
        "chain_root": digest,
        "models": every(digest),
        "decisions": every(anything),
    }
)
LISTING = {1: record(LISTED), 2: CHAINED_LISTING, 3: CHAINED_LISTING, 4: WORKSPACE_LISTING}
CHAINED_ORDER = ["population", "method", "chain_root", "models", "decisions"]
ORDERS = {
    1: ["population", "method", "models", "decisions"],
    2: CHAINED_ORDER,
    3: CHAINED_ORDER,
    4: ["workspace", *CHAINED_ORDER[1:]],
}

SIDE_OF_CLAIM = record({"digest": digest, "references": every(text), "row": whole})
CLAIM = record({"claim_id": text, "rough": SIDE_OF_CLAIM, "polish": SIDE_OF_CLAIM})

KEY = record({"id": text, "name": text, "kind": one_of("production", "test"), "population": text})
SIDE_MEMBERS = {
    "digest": digest,
    "scans": whole,
    "duplicates": whole,
    "short_coverage": flag,
    "references": every(text),
    "sharpness": number,
    "detail_residual": number,
    "locally_polynomial": number,
}
SIDE = record(SIDE_MEMBERS)
MEASURED_SIDE = record({**SIDE_MEMBERS, "detail_residual_measured": or_null(number)})
RESULT = record(
    {
        **dict.fromkeys(["mode", "scorer", "threshold_source", "scope", "claim_id"], text),
        **dict.fromkeys(["fused_score", "threshold", "p_match_5050"], number),
        **dict.fromkeys(["rough_sharpness", "polish_sharpness"], number),
        **dict.fromkeys(["rough_detail_residual", "polish_detail_residual"], number),
        **dict.fromkeys(["member_scores", "member_cosines"], mapping(number)),
        **dict.fromkeys(["n_rough_scans", "n_polish_scans"], whole),
        "verdict": verdict,
        "reject_target": rung,
        "expected_genuine_accept": or_null(number),
        "warnings": every(text),
    },
    experimental=flag,
)
LABEL = record(
    {"expected": one_of("match", "no_match"), "request_id": text, "at": moment},
    stone_id=text,
    note=text,
)
PROPOSAL = record(
    {
        **dict.fromkeys(["digest", "evidence_digest", "model"], digest),
        **dict.fromkeys(["method", "position"], text),
        **dict.fromkeys(["decisions", "claims", "roughs", "polishes", "pairs"], whole),
        **dict.fromkeys(["threshold", "wrong_per_1000"], number),
        "interval": every(number),
        "expected_genuine_accept": or_null(number),
        "expected_genuine_accept_error": or_null(number),
        "expected_genuine_accept_reason": or_null(text),
    }
)
DECIDED = {"population": name, "reject_target": rung, "operator": text, "reason": text, "at": moment}
REQUESTED = {**DECIDED, "proposal": PROPOSAL}
APPROVED = {**REQUESTED, "requested_by": or_null(text)}
WITHDRAWN = {**DECIDED, "model": digest}
CHAINED = {"chain": digest}
ABOUT_SCORER = {"population": name, "operator": text, "reason": text, "at": moment, **CHAINED}
SCORER_PROPOSAL = record(
    {
        **dict.fromkeys(["digest", "scorer", "evidence_digest", "model"], digest),
        **dict.fromkeys(["method", "position"], text),
        **dict.fromkeys(["decisions", "claims", "groups", "trimmed"], whole),
        "curve": one_of("own", "shipped"),
        "rungs": every(
            record(
                {
                    "reject_target": rung,
                    **dict.fromkeys(["confirmed_raw", "confirmed_mapped", "wrong_raw", "wrong_mapped"], or_null(number)),
                }
            )
        ),
    }
)
CURVE = {"scores": every(number), "probabilities": every(number)}
CARRIED = every(record({"reject_target": rung, "threshold": number, "expected_genuine_accept": or_null(number)}))
# The parts of a scorer besides its tables.
SCORER = record(
    {
        "method": text,
        "population": name,
        "model": digest,
        "encoders": every(name),
        "claims": whole,
        "evidence_digest": digest,
        "groups": every(whole),
        "weights": every(number),
        "directions": every(every(whole)),
        "ladder": record({"groups": whole, "population": text, "rungs": CARRIED}),
        "curve": record({**CURVE, "from": one_of("own", "shipped")}),
    }
)
STONES = record({"population": text, "seed": number, "first_stone": whole, "stones": whole, "refused": whole})
LADDERS = record(
    {
        "schema": whole,
        "method": text,
        "model_digest": digest,
        "source": record({"bank": STONES, "judged": STONES, "draws": whole}),
        "banks": every(record({"groups": whole, "rungs": CARRIED, "p_match_5050": record(CURVE)})),
    },
    worlds=record({"source": STONES, "covariances": every(record({"within": table_text, "across": table_text}))}),
)
UNDER_SCORER = {**CHAINED, "scorer": or_null(digest)}
SUBMITTED = {
    **dict.fromkeys(["claim_id", "request_id", "ladder_revision"], text),
    "at": moment,
    "key": KEY,
    "transport": one_of("json", "multipart"),
    "reject_target": rung,
    "model": digest,
    "rough": SIDE,
    "polish": SIDE,
}
SCORED = {
    **dict.fromkeys(["claim_id", "request_id", "engine"], text),
    "at": moment,
    "result": RESULT,
    "latency_ms": mapping(number),
}
LABELLED = {"claim_id": text, "verdict": verdict, "agrees": flag, "label": LABEL}


def both(one):
    return record({"shipped": one, "workspace": one})


LOT_PROPOSAL = {
    **dict.fromkeys(["digest", "scorer", "model"], digest),
    "method": text,
    **dict.fromkeys(["decisions", "members", "returned", "copies"], whole),
    "rests_on": every(record({"lot_id": text, "check_id": text})),
    "confirmed": both(whole),
    "caught": both(number),
    "one_stone_false_accept": both(number),
}
ABOUT_LOT_SCORER = {"workspace": WORKSPACE, "operator": text, "reason": text, "request_id": text, "at": moment}
lot_vector = like("base64 of 384 bytes", "[A-Za-z0-9+/]{512}")
LOT_SCORER = record(
    {"map": every(table_text), "between": lot_vector, "bar": record({"at": number, "slope": number})},
)


def with_lot_proposal(**more):
    """Before and since events are chained; a proposal's digest of its vectors came with the chain."""
    later = record({**LOT_PROPOSAL, "evidence_digest": or_null(digest)})
    return [
        record({**ABOUT_LOT_SCORER, **more, "proposal": record(LOT_PROPOSAL)}),
        record({**ABOUT_LOT_SCORER, **more, **CHAINED, "proposal": later}),
    ]


# Of a lot and of a check the names and the vectors; a scorer rests on nothing else of it.
OF_LOT = {
    "lot_id": text,
    "workspace": WORKSPACE,
    "model": digest,
    "at": moment,
    **dict.fromkeys(["request_id", "latency_ms", "digest"], anything),
    "stones": every(holding({"stone": text, "vector": lot_vector})),
}
SCANNED_BY = dict.fromkeys(["operator", "instrument"], anything)
ENROLLED = dict.fromkeys(["name", "session_type", "session_type_source", "warnings", "twins", "bounds_version"], anything)
CHECKED_LOT = record({**OF_LOT, "check_id": text, "result": anything}, **SCANNED_BY)

# Of each event, version after version.
DATA = {
    "LotScorerRequested": with_lot_proposal(),
    "LotScorerApproved": with_lot_proposal(scorer=LOT_SCORER, requested_by=or_null(text)),
    "LotScorerWithdrawn": [
        record({**ABOUT_LOT_SCORER, "model": digest}),
        record({**ABOUT_LOT_SCORER, "model": digest, **CHAINED}),
    ],
    "LotEnrolled": [
        record({**OF_LOT, **ENROLLED}, **SCANNED_BY),
        record({**OF_LOT, **ENROLLED, "fit": anything}, **SCANNED_BY),
    ],
    "LotChecked": [CHECKED_LOT, CHECKED_LOT, CHECKED_LOT],
    "ApprovalRequested": [record(REQUESTED), record({**REQUESTED, **CHAINED}), record({**REQUESTED, **UNDER_SCORER})],
    "RungApproved": [record(APPROVED), record({**APPROVED, **CHAINED}), record({**APPROVED, **UNDER_SCORER})],
    "RungWithdrawn": [record(WITHDRAWN), record({**WITHDRAWN, **CHAINED}), record({**WITHDRAWN, **UNDER_SCORER})],
    "ScorerRequested": [record({**ABOUT_SCORER, "proposal": SCORER_PROPOSAL})],
    "ScorerApproved": [record({**ABOUT_SCORER, "proposal": SCORER_PROPOSAL, "requested_by": or_null(text)})],
    "ScorerWithdrawn": [record({**ABOUT_SCORER, "model": digest})],
    "ClaimSubmitted": [
        record(SUBMITTED),
        record(
            {
                **SUBMITTED,
                "ladder_digest": or_null(digest),
                "rough": MEASURED_SIDE,
                "polish": MEASURED_SIDE,
                "shared_scans": or_null(whole),
            }
        ),
    ],
    "ClaimScored": [record(SCORED), record({**SCORED, "action_reasons": or_null(every(text))})],
    "ClaimShadowScored": [
        record(
            {
                **dict.fromkeys(["claim_id", "request_id", "engine"], text),
                "at": moment,
                "model": digest,
                "fused_score": number,
                "member_cosines": mapping(number),
            }
        )
    ],
    "ScanSetBanked": [
        record(
            {
                **dict.fromkeys(["population", "claim_id"], text),
                "at": moment,
                **dict.fromkeys(["model", "digest"], digest),
                "side": one_of("rough", "polish"),
                "scans": whole,
                "references": every(text),
                "vectors": mapping(vector),
                "by": one_of("claim", "replay"),
            }
        )
    ],
    "ClaimLabelled": [record(LABELLED)],
    "LabelAmended": [record({**LABELLED, "previous": LABEL})],
}
ENVELOPE = record(
    {
        "stream": text,
        "revision": whole,
        "id": like("UUID", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        "type": one_of(*DATA),
        "version": whole,
        "recorded_at": moment,
        "data": anything,
    },
    metadata=mapping(text),
)
MEMBERS = ["stream", "revision", "id", "type", "version", "recorded_at", "metadata", "data"]


def events():
    """Each event of events.ndjson with its line and its place."""
    file = "events.ndjson"
    for place, line in enumerate(lines(file), 1):
        at = f"line {place}"
        event = checked(file, ENVELOPE, parsed(file, line), at)
        if list(event) != [one for one in MEMBERS if one in event]:
            differs(file, f"{at} has its members in another order")
        versions = DATA[event["type"]]
        if not 1 <= event["version"] <= len(versions):
            differs(file, f"{at} is {event['type']} of version {event['version']}, which is unknown")
        checked(file, versions[event["version"] - 1], event["data"], f"{at} ({event['type']})")
        yield event, line, at


# Files: regular ones, each with the bytes that the manifest promises.


class Unreadable(Exception):
    """No verdict: there is nothing here that could be a bundle."""


class Folder:
    """An unpacked bundle."""

    def __init__(self, root):
        self.root = root

    def opened(self, path):
        """Opens nothing that waits for a writer, also where the entry was exchanged after it was listed."""
        handle = os.open(os.path.join(self.root, path), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            differs(path, "is no regular file")
        return os.fdopen(handle, "rb")

    def present(self):
        """Sizes of the files here by path, and the folders."""
        sizes, folders, waiting = {}, [], [""]
        while waiting:
            folder = waiting.pop()
            for entry in os.scandir(os.path.join(self.root, folder) or "."):
                path = folder + entry.name
                if len(sizes) + len(folders) >= MOST_ENTRIES:
                    differs("the bundle", "holds more files than a bundle does")
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                    # No file of a bundle lies deeper.
                    if path.count("/") < 2:
                        waiting.append(path + "/")
                elif entry.is_file(follow_symlinks=False):
                    sizes[path] = entry.stat(follow_symlinks=False).st_size
                else:
                    differs(shown(path), "is no regular file")
        return sizes, folders


class Zip:
    """A bundle as it was written: stored, nothing compressed, one file after the other and nothing in between."""

    def __init__(self, path):
        try:
            self.zip = zipfile.ZipFile(path)
        except zipfile.BadZipFile as error:
            raise Unreadable(f"it is no zip: {error}") from None
        entries = self.zip.infolist()
        if len(entries) > MOST_ENTRIES:
            raise Unreadable("it holds more files than a bundle does")
        if len({one.filename for one in entries}) != len(entries):
            raise Unreadable("it holds a file twice")
        end = 0
        for one in entries:
            whole = one.compress_type == zipfile.ZIP_STORED and one.compress_size == one.file_size
            if not whole or one.flag_bits & 1 or one.filename != one.orig_filename:
                raise Unreadable(f"{shown(one.filename)} in it is compressed or encrypted")
            if one.header_offset < end:
                raise Unreadable(f"{shown(one.filename)} in it overlaps another file")
            end = one.header_offset + 30 + len(one.filename.encode()) + one.file_size

    def opened(self, path):
        try:
            return self.zip.open(path)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            return differs(path, f"cannot be read out of the zip: {error}")

    def present(self):
        return {one.filename: one.file_size for one in self.zip.infolist()}, []


bundle = Folder(".")


def place_of(path):
    if os.path.isdir(path):
        if not os.path.lexists(os.path.join(path, "manifest.json")):
            raise Unreadable("there is no manifest.json here: this is no audit bundle")
        return Folder(path)
    if os.path.isfile(path):
        return Zip(path)
    raise Unreadable(f"{shown(path)} is no folder and no file")


def content_of(path):
    with bundle.opened(path) as file:
        return file.read()


def lines(path):
    with bundle.opened(path) as file:
        while line := file.readline(MOST_LINE_BYTES + 2):
            if len(line.rstrip(b"\n")) > MOST_LINE_BYTES:
                differs(path, "has a line that is longer than any event")
            if not line.endswith(b"\n"):
                differs(path, "its last line is cut")
            yield utf8(path, line[:-1])


def in_order(value):
    """True if the members of every object are sorted."""
    if isinstance(value, list):
        return all(map(in_order, value))
    return not isinstance(value, dict) or (list(value) == sorted(value) and all(map(in_order, value.values())))


def check_files(root):
    """Every file and folder is one that the manifest names, and has the bytes that it promises."""
    sizes, folders = bundle.present()
    if "manifest.json" not in sizes:
        raise Unreadable("there is no manifest.json here: this is no audit bundle")
    if sizes["manifest.json"] > MOST_MANIFEST_BYTES:
        differs("manifest.json", "is larger than any manifest")
    content = content_of("manifest.json")
    found = sha256(content).hex()
    if not content.endswith(b"\n"):
        differs("manifest.json", "is not in the canonical form")
    manifest = parsed("manifest.json", utf8("manifest.json", content)[:-1], 1)
    checked("manifest.json", MANIFEST, manifest, "it")
    if not in_order(manifest):
        differs("manifest.json", "is not in the canonical form")
    version = 1 + FORMATS.index(manifest["format"])
    paths = [entry["path"] for entry in manifest["files"]]
    for i, path in enumerate(paths):
        if path == "manifest.json" or not re.fullmatch(PATHS[version], path):
            differs("manifest.json", f"names {shown(path)}, which no bundle holds")
        if i > 0 and not paths[i - 1] < path:
            differs("manifest.json", f"names {path} out of order")
    for needed in ("decisions.json", "events.ndjson", "verify.mjs"):
        if needed not in paths:
            differs("manifest.json", f"does not name {needed}")
    known = [*paths, "manifest.json", "signature.json"]
    wrong = [f"{shown(path)}: is not in manifest.json" for path in sizes if path not in known]
    for folder in folders:
        if not any(path.startswith(folder + "/") for path in paths):
            wrong.append(f"{shown(folder)}: is a folder of no file")
    for entry in manifest["files"]:
        path = entry["path"]
        if path not in sizes:
            wrong.append(f"{path}: is missing, though manifest.json names it")
        elif sizes[path] != entry["bytes"]:
            wrong.append(f"{path}: has {sizes[path]} bytes, manifest.json says {entry['bytes']}")
        else:
            hashed = hashlib.sha256()
            with bundle.opened(path) as file:
                while piece := file.read(1 << 20):
                    hashed.update(piece)
            if hashed.hexdigest() != entry["sha256"]:
                wrong.append(f"{path}: was changed after the bundle was written: its SHA-256 is not that of manifest.json")
    if wrong:
        raise Differs("\n".join(wrong))
    if root is not None and root != found:
        differs("manifest.json", f"its digest is {found}, not {root}")
    return found, version, {entry["path"]: entry.get("shape") for entry in manifest["files"]}, manifest.get("seals")


def check_signature(seals, known):
    """The key that signed the manifest's bytes, None where there is no signature. It stands beside the manifest."""
    size = bundle.present()[0].get("signature.json")
    if size is None:
        if known is not None:
            differs("signature.json", "is missing: the bundle is not signed")
        return None
    if size > MOST_SIGNATURE_BYTES:
        differs("signature.json", "is larger than any signature")
    content = utf8("signature.json", content_of("signature.json"))
    if not content.endswith("\n"):
        differs("signature.json", "its last line is cut")
    signed = checked("signature.json", SIGNATURE, parsed("signature.json", content[:-1]), "it")
    if not in_order(signed):
        differs("signature.json", "has its members in another order")
    if seals is None:
        differs("signature.json", "is one of a manifest.json that says nothing of seals")
    if known is not None and signed["key"] != known:
        differs("signature.json", f"is by the key {signed['key']}, not {known}")
    if not signs(bytes.fromhex(signed["key"]), bytes.fromhex(signed["signature"]), content_of("manifest.json")):
        differs("signature.json", f"is not one of manifest.json by the key {signed['key']}")
    return signed["key"]


# Ed25519 by RFC 8032, section 5.1: points in extended coordinates.

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)


def point_of(encoded):
    """None where the bytes are no point."""
    number = int.from_bytes(encoded, "little")
    y, odd = number & (2**255 - 1), number >> 255
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if x * x % PRIME != square:
        x = x * ROOT_OF_MINUS_ONE % PRIME
    if x * x % PRIME != square or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = PRIME - x
    return x, y, 1, x * y % PRIME


def added(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % PRIME
    b = (p[1] + p[0]) * (q[1] + q[0]) % PRIME
    c = 2 * p[3] * q[3] * CURVE % PRIME
    d = 2 * p[2] * q[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def times(factor, point):
    total = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            total = added(total, point)
        point = added(point, point)
        factor >>= 1
    return total


BASE = point_of((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))


def is_zero(point):
    return point[0] % PRIME == 0 and (point[1] - point[2]) % PRIME == 0


def signs(key, signature, message):
    """Points of small order are refused: programs differ about them, and a service's key has none."""
    owner, half = point_of(key), point_of(signature[:32])
    factor = int.from_bytes(signature[32:], "little")
    if owner is None or half is None or factor >= ORDER or is_zero(times(8, owner)) or is_zero(times(8, half)):
        return False
    bound = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = times(factor, BASE), added(half, times(bound, owner))
    return (left[0] * right[2] - right[0] * left[2]) % PRIME == 0 and (left[1] * right[2] - right[1] * left[2]) % PRIME == 0


class Evidence:
    """Claims and vectors of a model, with the chain of digests. Section 2."""

    def __init__(self, population, model, encoders, claims, files):
        folder = f"evidence/{model}"
        self.encoders = encoders
        self.vector_file = f"{folder}/vectors.f32"
        self.claim_file = f"{folder}/claims.ndjson"
        if self.vector_file not in files or self.claim_file not in files:
            differs(folder, "claims or vectors are missing")
        if not encoders or len(set(encoders)) < len(encoders):
            differs("decisions.json", f"has no encoders of {model}, or one twice")
        content = content_of(self.vector_file)
        rows, rest = divmod(len(content), 4 * LENGTH * len(encoders))
        if rest or files[self.vector_file] != [rows, len(encoders), LENGTH]:
            differs("manifest.json", f"{self.vector_file} has another shape")
        self.vectors = np.frombuffer(content, "<f4").reshape(-1, len(encoders), LENGTH)
        self.folder, self.files = folder, files
        # The key of each claim, and the files on which approvals of scorers rest.
        self.keys, self.used, self.scorers = [], set(), {}
        self.claims, self.row_of = [], {}
        self.chain = [sha256(text_of(["mvs-evidence/1", population, model, encoders]))]
        for place, line in enumerate(lines(self.claim_file), 1):
            claim = checked(self.claim_file, CLAIM, parsed(self.claim_file, line), f"line {place}")
            rough, polish = claim["rough"], claim["polish"]
            for side in (rough, polish):
                if side["row"] >= len(self.vectors):
                    differs(self.claim_file, f"has row {side['row']}")
                if self.row_of.setdefault(side["digest"], side["row"]) != side["row"]:
                    differs(self.claim_file, f"has two rows of set {side['digest']}")
            self.chain.append(self.link_after(self.chain[-1], claim))
            self.claims.append(claim)
        if len(self.claims) != claims:
            differs(self.claim_file, f"has {len(self.claims)} claims, not {claims}")
        if not len(set(self.row_of.values())) == len(self.row_of) == len(self.vectors):
            differs(self.vector_file, "has rows that no claim has")
        self.about = [population, model, encoders]

    def link_after(self, link, claim):
        rough, polish = claim["rough"], claim["polish"]
        line = [claim["claim_id"], rough["digest"], polish["digest"], rough["references"], polish["references"]]
        parts = [self.vectors[side["row"]].tobytes() for side in (rough, polish)]
        return sha256(link, text_of(line), b"\n", *parts)

    def newest(self, n):
        """The newest of the first n claims, where there are more than make a proposal, and their link. Section 10."""
        before = max(0, math.ceil((n - MOST_CLAIMS) / STEP) * STEP)
        if before == 0:
            return None
        link = sha256(text_of(["mvs-evidence/2", *self.about, before]))
        for claim in self.claims[before:n]:
            link = self.link_after(link, claim)
        return self.claims[before:n], link


class Chain:
    """The hash of a population's decisions: first before any, then after each."""

    def __init__(self, population):
        self.roots = [sha256(text_of(["mvs-calibration-chain/1", population])).hex()]
        self.begun = False

    def add(self, event, line, at, version):
        of_scorer = event["type"] in SCORER_DECISIONS
        links = event["version"] > 1 or of_scorer
        if (version == 1 if links else self.begun) or (of_scorer and version < 3):
            differs("events.ndjson", f"{at}: version {event['version']} of {event['type']} does not stand here")
        self.begun = links
        if self.begun and event["data"]["chain"] != self.roots[-1]:
            differs("events.ndjson", f"{at}: its chain is not what the decisions before it give")
        self.roots.append(sha256(f"{self.roots[-1]}\n{line}\n".encode()).hex())


def calibration_stream(population):
    return "calibration-" + urllib.parse.quote(population, safe="").replace("-", "%2D")


def check_events(version, sealed, population, evidence, decisions):
    """The counted claims once more, out of the events (section 1); the decisions, and the chain over them."""

    def on_manifold(side):
        return -0.23 <= side["detail_residual"] <= 0.31

    decided, chain, mapped = [], Chain(population), []
    banked = {model: set() for model in evidence}
    submitted = {}
    scored = set()
    pairs = {model: set() for model in evidence}
    count = dict.fromkeys(evidence, 0)
    revisions = {}
    number = 0
    for event, line, at in events():
        number += 1
        if event["revision"] <= revisions.get(event["stream"], -1):
            differs("events.ndjson", f"{at} does not follow what its stream has before it")
        revisions[event["stream"]] = event["revision"]
        kind_of, data = event["type"], event["data"]
        if kind_of.startswith("Lot"):
            differs("events.ndjson", f"{at}: {kind_of} does not stand here")
        if kind_of in DECISIONS:
            n = len(decided)
            if event["stream"] != calibration_stream(population) or data["population"] != population:
                differs("events.ndjson", f"{at} is of another population")
            expected = {"event": kind_of, "revision": event["revision"], **data}
            # Rows that are no events keep their places; the chain shows that no decision stood there.
            gaps = sealed and (event["version"] > 1 or kind_of in SCORER_DECISIONS)
            follows = event["revision"] >= n if gaps else event["revision"] == n
            if not follows or n >= len(decisions) or not same(decisions[n], expected):
                differs("decisions.json", f"its decision {n} is not that of events.ndjson")
            chain.add(event, line, at, version)
            decided.append(event)
        elif kind_of == "ScanSetBanked":
            model, of_set = data["model"], data["digest"]
            held = evidence.get(model)
            if held is None or data["population"] != population or of_set in banked[model]:
                continue
            if any(encoder not in data["vectors"] for encoder in held.encoders):
                continue
            vectors = b"".join(base64.b64decode(data["vectors"][encoder]) for encoder in held.encoders)
            if not np.isfinite(np.frombuffer(vectors, "<f4")).all():
                continue
            banked[model].add(of_set)
            row = held.row_of.get(of_set)
            if row is not None and vectors != held.vectors[row].tobytes():
                differs(held.vector_file, f"row {row} is not what events.ndjson has banked")
        elif kind_of == "ClaimSubmitted":
            key = data["key"]
            counts = key["kind"] == "production" and on_manifold(data["rough"]) and on_manifold(data["polish"])
            if key["population"] == population and counts:
                submitted.setdefault(data["claim_id"], data)
        elif kind_of in ("ClaimScored", "ClaimShadowScored"):
            claim = submitted.get(data["claim_id"])
            if claim is None:
                continue
            if kind_of == "ClaimScored":
                scored.add(data["claim_id"])
            model = claim["model"] if kind_of == "ClaimScored" else data["model"]
            held = evidence.get(model)
            if held is None or data["claim_id"] not in scored or count[model] == len(held.claims):
                continue
            pair = (claim["rough"]["digest"], claim["polish"]["digest"])
            if not banked[model].issuperset(pair) or pair in pairs[model]:
                continue
            pairs[model].add(pair)
            held.keys.append(claim["key"]["name"])
            if kind_of == "ClaimScored" and data["result"]["scorer"] == "population":
                mapped.append((model, held.claims[count[model]], data["result"], len(decided)))
            expected = {"claim_id": data["claim_id"]}
            for side in ("rough", "polish"):
                of_set = claim[side]["digest"]
                references = claim[side]["references"]
                expected[side] = {"digest": of_set, "references": references, "row": held.row_of.get(of_set)}
            if not same(held.claims[count[model]], expected):
                differs(held.claim_file, f"line {count[model] + 1} is not the claim of events.ndjson")
            count[model] += 1
    if len(decided) != len(decisions):
        differs("decisions.json", "has decisions that events.ndjson has not")
    for model, held in evidence.items():
        if count[model] != len(held.claims):
            differs(held.claim_file, "has claims that events.ndjson has not")
    if version == 3 and not any(event["type"] in SCORER_DECISIONS for event in decided):
        differs("manifest.json", "is of the format of populations with a scorer of their own, and this one has none")
    return decided, chain.roots, mapped, number


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
    """Sections 5 to 8, of the claims that a proposal rests on.

    The table holds each pair's score in steps of 2^-15 (0 where it is left out). A score, and a bin of section 7, lies
    within a step of what the table says, so that a quantile is among the pairs within REACH of it.
    """

    def __init__(self, held, claims):
        n = len(claims)
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
        return genuine_accept(self.n, *(int((self.own <= mark).sum()) for mark in (self.kth(80), self.kth(20), t)), r)


def genuine_accept(n, below, lowest, not_above, r):
    """Section 8, of n claims: scores at most t80, at most t20, and at most the threshold."""
    if n < 100:
        return None, None, "too few claims"
    low = below / n
    q = 1 - low / 0.8
    if q < 0.6:
        return None, None, "too few genuine claims"
    if below > 0 and (lowest - 0.25 * below) / math.sqrt(below * 0.25 * 0.75) < -1.645:
        return None, None, "genuine claims score like wrong ones"
    above = 1 - not_above / n
    estimate = (above - (1 - q) * (1 - r)) / q
    x = 1 / q
    y = (above - (1 - r)) / (q * q) / 0.8
    variance = x * x * above * (1 - above) + y * y * low * (1 - low) - 2 * x * y * above * low
    error = math.sqrt(max(variance, 0) / n)
    if error > 0.03:
        return None, None, "too uncertain"
    return min(max(estimate, 0), 1), error, None


def check_models(models, decided):
    """The models of the approvals, in the order of their first, each with the most claims that one rests on."""
    claims = {}
    for event in decided:
        if event["type"] in ("RungApproved", "ScorerApproved"):
            proposal = event["data"]["proposal"]
            claims[proposal["model"]] = max(claims.get(proposal["model"], 0), proposal["claims"])
    if list(claims.items()) != [(one["model"], one["claims"]) for one in models]:
        differs("decisions.json", "lists other models or claims than its approvals rest on")


# A population's own scorer: scorer-method.md.

BANK = 1200
# Groups of claims of which one best score more makes a norm; by the fourth method fewer make means alone.
MANY = 30
LEAST_GROUPS = dict(zip(SCORER_METHODS, (MANY, MANY, MANY, 10, 10)))
# Means of few claims are drawn towards 0 and covariances towards those of worlds, as if so many claims more were there.
PRIOR = 10
# Groups from which norms are a population's own, and what stands in for them in so far as there are fewer; by the fifth method.
WHOLE_NORMS, NORM_BEFORE = 20, 0.83
OWN_CURVE = 75
NEIGHBOUR = dict(zip(SCORER_METHODS, (0.97, 0.97, 0.98, 0.97, 0.97)))
# Above it two sides hold the same scans.
SAME = 0.9995
FOLDS = 4
# Folds that a map is without, as bits, in the order of the maps.
LEFT_OUT = [0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12]
NEWEST = 1600
# Scores, norms and thresholds of two programs agree within this.
TOLERANCE = 1e-5
# Error of float32 sums: below this, rounding may choose other folds, or trim other claims.
ROUNDING = 2e-6
# Float32 rows differ from the exact ones by some 5e-8 of a map's size.
MAP_TOLERANCE = 2e-7
CURVE_TOLERANCE = (1e-5, 0.0005)
MOST_OPEN = 20


def ordered_quantile(values, share, by=0):
    """Of ascending values: the smallest with at least this share at or below it, or one so many ranks beside it."""
    rank = min(max(math.ceil(share * len(values) - 1e-9), 1), len(values))
    return float(values[min(max(rank + by, 1), len(values)) - 1])


def is_quantile(values, share, value, ranks):
    low, high = ordered_quantile(values, share, -ranks), ordered_quantile(values, share, ranks)
    return low - TOLERANCE <= value <= high + TOLERANCE


def at_most(values, value):
    return int(np.searchsorted(values, value, side="right"))


def counts_above(values, low, high, spare):
    """The least and the largest number above a threshold between two bounds."""
    return len(values) - at_most(values, high + TOLERANCE) - spare, len(values) - at_most(values, low - TOLERANCE) + spare


def likeness(a, b, neighbour):
    """Raw scores of all rows of a with all of b, exact where they decide about neighbours and the same scans."""
    scores = rough_scores(a, b)
    for i, j in np.argwhere(np.minimum(np.abs(scores - neighbour), np.abs(scores - SAME)) < 1e-9):
        scores[i, j] = scores_of(a[i], b[j])
    return scores


class Bank:
    """Sections 1 to 3: the claims that a scorer is made of, their groups and weights."""

    def __init__(self, held, n, method):
        self.method = method
        self.claims, self.keys = held.claims[max(n - BANK, 0) : n], held.keys[max(n - BANK, 0) : n]
        self.sides = {side: held.vectors[[one[side]["row"] for one in self.claims]] for side in ("rough", "polish")}
        least = NEIGHBOUR[method]
        near = [likeness(rows, rows, least) >= least for rows in self.sides.values()]
        near = near[0] | near[1]
        self.first, groups = [], []
        for claim in range(len(self.claims)):
            found = np.flatnonzero(near[claim, self.first]) if self.first else []
            if len(found) == 0:
                self.first.append(claim)
            groups.append(int(found[0]) if len(found) else len(self.first) - 1)
        self.groups, self.count = np.array(groups), len(self.first)
        self.fold = self.groups % FOLDS
        self.weights = 1 / np.bincount(self.groups)[self.groups]
        keys = np.array(self.keys)
        for key in sorted(set(self.keys)):
            own, others = self.weights[keys == key].sum(), self.weights[keys != key].sum()
            if own > others and others >= LEAST_GROUPS[method]:
                self.weights[keys == key] *= others / own
                break


def fit_map(bank, worlds, weights, encoder):
    """Section 4: means of both sides, and the rows."""
    taken = weights > 0
    shrunk, alone = bank.method == SCORER_METHODS[4], bank.method == SCORER_METHODS[3] and bank.count < MANY
    total = weights[taken].sum()
    own = total / (total + PRIOR) if shrunk or alone else 1
    w = weights[taken] / total
    r, p = (bank.sides[side][taken, encoder].astype(np.float64) for side in ("rough", "polish"))
    a, b = (w @ one for one in (r, p))
    means = [(own * one).astype(np.float32) for one in (a, b)]
    if alone:
        return *means, np.empty((0, LENGTH))
    d = r - p
    within = (d * w[:, None]).T @ d / 2
    across = ((r - a) * w[:, None]).T @ (p - b)
    if shrunk:
        within, across = (own * mine + (1 - own) * theirs for mine, theirs in zip((within, across), worlds[encoder]))
    within = 0.7 * within + 0.3 * np.trace(within) / LENGTH * np.eye(LENGTH)
    # With W = L L', the directions are those of L^-1 C L^-T.
    lower = np.linalg.cholesky(within)
    inner = np.linalg.solve(lower, np.linalg.solve(lower, (across + across.T) / 2).T)
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    rows = np.linalg.solve(lower.T, vectors).T
    kept = values > 0.05
    return *means, rows[kept] * ((values - 0.05) / (1 + values))[kept, None]


def under(fitted, side, vectors):
    """Rows of encoders x 256 under the maps of all encoders: each encoder's part of length one, side by side.

    A map without directions takes the mean off and nothing else.
    """
    parts = []
    for encoder, of_map in enumerate(fitted):
        found = vectors[:, encoder].astype(np.float64) - of_map[side == "polish"]
        if len(of_map[2]):
            found = found @ of_map[2].astype(np.float64).T
        length = np.sqrt((found * found).sum(axis=1, keepdims=True))
        parts.append(found / np.where(length > 0, length, 1))
    return np.hstack(parts)


def trimmed(bank, worlds, encoders, published):
    """Section 5: the weights that trimming leaves, where they are the published ones; where rounding decides, either way."""

    def after(weights):
        fitted = [fit_map(bank, worlds, weights, encoder) for encoder in range(encoders)]
        rough, polish = (under(fitted, side, bank.sides[side]) for side in ("rough", "polish"))
        table = polish[bank.first] @ rough[bank.first].T
        mark = ordered_quantile(np.sort(table[~np.eye(bank.count, dtype=bool)]), 0.9)
        own = (polish * rough).sum(axis=1)
        return own > mark, np.abs(own - mark) <= ROUNDING * encoders

    once, open_once = after(bank.weights)
    choices = np.flatnonzero(open_once)[:4]
    for choice in range(1 << len(choices)):
        right = once.copy()
        right[choices] ^= np.array([choice >> i & 1 for i in range(len(choices))], bool)
        twice, open_twice = after(np.where(right, bank.weights, 0))
        left = np.where(np.where(open_twice, published != 0, twice), bank.weights, 0)
        if np.abs(left - published).max() <= 1e-12:
            return left
    return None


class Scorer:
    """Section 6, by the published maps."""

    def __init__(self, bank, maps, method):
        self.bank, self.maps, self.method = bank, maps, method
        self.best = max(1, bank.count // MANY)
        # A norm is so much of the mean of its best scores and so much besides; what that mean is where no group is left.
        self.shares = (1, 0, 0)
        if method == SCORER_METHODS[4]:
            own = min(1, bank.count / WHOLE_NORMS)
            self.shares = (own, NORM_BEFORE * (1 - own), 1)
        elif method == SCORER_METHODS[3] and bank.count < MANY:
            self.shares = (0, 0, 0)
        self.cohorts = {}

    def cohort(self, folds, side):
        if (folds, side) not in self.cohorts:
            rows = self.bank.sides[side][self.bank.first]
            self.cohorts[folds, side] = under(self.maps[LEFT_OUT.index(folds)], side, rows)
        return self.cohorts[folds, side]

    def near(self, side, rows):
        """Of each row: raw scores with the bank, which of its groups and folds are near, which groups hold the same scans."""
        least, known = NEIGHBOUR[self.method], self.bank.sides[side]
        scores = np.vstack([likeness(part, known, least) for part in np.array_split(rows, len(rows) // BLOCK + 1)])
        close = scores >= least
        groups, same = (np.zeros((len(rows), self.bank.count), bool) for _ in range(2))
        np.logical_or.at(groups.T, self.bank.groups, close.T)
        np.logical_or.at(same.T, self.bank.groups, (scores > SAME).T)
        folds = sum((groups[:, fold::FOLDS].any(axis=1) << fold) for fold in range(FOLDS))
        return scores, close, groups, folds, same

    def nearest_folds(self, rough, polish):
        """The two folds nearest on both sides, as bits, and whether rounding may choose others."""
        (rough_scores_, close, *_), (polish_scores, near, *_) = rough, polish
        both = np.where(close | near, np.minimum(rough_scores_, polish_scores), -2)
        nearest = []
        for fold in range(FOLDS):
            claims = np.flatnonzero(self.bank.fold == fold)
            claim = claims[np.argmax(both[claims])]
            nearest.append((-both[claim], claim, fold))
        nearest.sort()
        return 1 << nearest[0][2] | 1 << nearest[1][2], nearest[2][0] - nearest[1][0] < ROUNDING

    def norms(self, cosines, own, others, same):
        """Of one side against each of some others: the mean of its best groups that are near neither."""
        best = np.full(len(others), self.best)
        if self.method != SCORER_METHODS[0]:
            best = np.maximum(1, best - (own | others).sum(axis=1) + same.sum(axis=1))
        order = np.argsort(-cosines, kind="stable")
        order = order[~own[order]][: self.best + int(others.sum(axis=1).max())]
        kept = ~others[:, order]
        kept &= np.cumsum(kept, axis=1) <= best[:, None]
        share, rest, none = self.shares
        of, encoders = kept.sum(axis=1), len(self.maps[0])
        means = np.where(of > 0, (kept * cosines[order]).sum(axis=1) / np.maximum(of, 1), none * encoders)
        return share * means + rest * encoders

    def pairs(self, roughs, polishes, pairs):
        """Scores of pairs (polish, rough) of rows, and how many of them rounding may move."""
        p, q = pairs
        near_rough, near_polish = self.near("rough", roughs), self.near("polish", polishes)
        folds, spare = near_rough[3][q] | near_polish[3][p], 0
        for i in np.flatnonzero(~np.isin(folds, LEFT_OUT)):
            sides = [[of[at] for of in near] for near, at in ((near_rough, q[i]), (near_polish, p[i]))]
            folds[i], is_open = self.nearest_folds(*sides)
            spare += is_open
        scores = np.empty(len(p))
        for without in np.unique(folds):
            taken = np.flatnonzero(folds == without)
            fitted = self.maps[LEFT_OUT.index(int(without))]
            mine, theirs = under(fitted, "polish", polishes), under(fitted, "rough", roughs)
            scores[taken] = (mine[p[taken]] * theirs[q[taken]]).sum(axis=1)
            for at, sides, cohort, own, others, opposite in (
                (p, mine, self.cohort(int(without), "rough"), near_polish, near_rough, q),
                (q, theirs, self.cohort(int(without), "polish"), near_rough, near_polish, p),
            ):
                by_side = taken[np.argsort(at[taken], kind="stable")]
                starts = np.flatnonzero(np.r_[True, np.diff(at[by_side]) != 0])
                for those in np.split(by_side, starts[1:]):
                    side = at[those[0]]
                    near, same = ((own[of][side], others[of][opposite[those]]) for of in (2, 4))
                    scores[those] -= self.norms(cohort @ sides[side], *near, same[0] | same[1]) / 2
        return scores / len(self.maps[0]), spare

    def claims(self, held, claims):
        rough, polish = (held.vectors[[claim[side]["row"] for claim in claims]] for side in ("rough", "polish"))
        each = np.arange(len(claims))
        return self.pairs(rough, polish, (each, each))[0]


def curve_of(genuine, wrong):
    """Section 7: isotonic regression by pooling neighbours that fall."""
    scores, inverse = np.unique(np.concatenate([genuine, wrong]), return_inverse=True)
    true = np.bincount(inverse[: len(genuine)], minlength=len(scores)) / len(genuine)
    false = np.bincount(inverse[len(genuine) :], minlength=len(scores)) / len(wrong)
    blocks = []
    for score, t, f in zip(scores.tolist(), true.tolist(), false.tolist()):
        block = [score, score, t, f]
        # The share of the one before is not below this one's.
        while blocks and blocks[-1][2] * (block[2] + block[3]) >= block[2] * (blocks[-1][2] + blocks[-1][3]):
            first = blocks.pop()
            block = [first[0], block[1], first[2] + block[2], first[3] + block[3]]
        blocks.append(block)
    floor = 1 / (len(genuine) + 2)
    knots = [(at, min(max(t / (t + f), floor), 1 - floor)) for low, high, t, f in blocks for at in sorted({low, high})]
    return [at for at, _ in knots], [share for _, share in knots]


def is_curve(published, own):
    """True if a curve runs within the tolerance of another, at the knots of both."""
    left, up = CURVE_TOLERANCE
    at = np.array(published[0] + own[0])
    # A curve jumps where knots fall together after rounding: the value before or behind it will do.
    said = np.interp(at, *published)
    return bool((np.interp(at - left, *own) - up <= said).all() and (said <= np.interp(at + left, *own) + up).all())


def line_of(file, shape):
    """A file of one line."""
    content = utf8(file, content_of(file))
    if not content.endswith("\n"):
        differs(file, "its last line is cut")
    return checked(file, shape, parsed(file, content[:-1]), "it")


def read_scorer(held, digest, bank):
    """The published scorer, whose digest is that of its canonical form with the bank as the evidence has it."""
    file, tables = (f"{held.folder}/scorer-{digest}.{end}" for end in ("json", "f32"))
    if file not in held.files or tables not in held.files:
        differs(file, "is missing, or its tables are")
    held.used |= {file, tables}
    header = line_of(file, SCORER)
    counts, content = header["directions"], content_of(tables)
    rows = sum(count + 2 for of_map in counts for count in of_map)
    fits = len(counts) == len(LEFT_OUT) and all(len(of_map) == len(held.encoders) for of_map in counts)
    if not fits or len(content) != 4 * LENGTH * rows or held.files[tables] != [rows, LENGTH]:
        differs(tables, "has another shape than its scorer")
    line = text_of(header)
    line += b" " * (-len(line) % 4)
    sides = (bank.sides[side].tobytes() for side in ("rough", "polish"))
    begin = b"MVS scorer 1\n\0\0\0" + len(line).to_bytes(4, "little") + line
    if sha256(begin, content, *sides).hex() != digest:
        differs(file, "is not the scorer with its digest on this bank")
    values = np.frombuffer(content, "<f4").reshape(-1, LENGTH)
    if not np.isfinite(values).all():
        differs(tables, "holds a value that is no number")
    maps, at = [], 0
    for of_map in counts:
        maps.append([])
        for count in of_map:
            maps[-1].append((values[at], values[at + 1], values[at + 2 : at + 2 + count]))
            at += count + 2
    return file, header, maps


def ladders_behind(held, population, proposal, before, link):
    """The ladders that came with the model, of which the proposal's digest says that they are these."""
    for file in held.files:
        found = re.fullmatch(re.escape(held.folder) + "/ladders-([0-9a-f]{64}).json", file)
        if not found:
            continue
        model, n = proposal["model"], proposal["claims"]
        facts = [proposal["method"], population, model, found[1], before, n, link]
        if sha256(text_of(["mvs-scorer-proposal/1", *facts])).hex() != proposal["digest"]:
            continue
        ladders = line_of(file, LADDERS)
        if sha256(text_of(ladders)).hex() != found[1]:
            differs(file, "is not what its name says")
        if (ladders["method"], ladders["model_digest"]) != (proposal["method"], model):
            differs(file, "is of another model or method")
        held.used.add(file)
        return ladders
    return None


def check_scorer(population, held, proposal, before, where):
    """Everything of an approval of a scorer, sections 1 to 7."""
    n, encoders = proposal["claims"], len(held.encoders)
    if proposal["method"] not in SCORER_METHODS:
        differs(where, f"its method is {shown(proposal['method'])}, this verifier knows {' and '.join(SCORER_METHODS)}")
    bank = Bank(held, n, proposal["method"])
    newest = held.newest(n)
    link = (newest[1] if newest and newest[1].hex() == proposal["evidence_digest"] else held.chain[n]).hex()
    ladders = ladders_behind(held, population, proposal, before, link)
    if ladders is None:
        differs(where, "its digest is not that of its facts with any ladders of the bundle")
    file, header, maps = read_scorer(held, proposal["scorer"], bank)
    ladder = next((one for one in reversed(ladders["banks"]) if one["groups"] <= bank.count), None)
    if bank.count < LEAST_GROUPS[proposal["method"]] or ladder is None:
        differs(where, f"its claims make {bank.count} groups")
    expected = {
        "method": proposal["method"],
        "population": population,
        "model": proposal["model"],
        "encoders": held.encoders,
        "claims": n,
        "evidence_digest": link,
        "groups": bank.groups.tolist(),
        "ladder": {
            "groups": ladder["groups"],
            "population": ladders["source"]["judged"]["population"],
            "rungs": ladder["rungs"],
        },
    }
    for field, value in expected.items():
        if not same(header[field], value):
            differs(file, f"its {field} is not what its claims and ladders give")
    published = np.array(header["weights"], float)
    # A scorer approved before is the same on the same bank.
    scorer = held.scorers.get(proposal["scorer"])
    if scorer is None:
        check_maps(bank, covariances_of(ladders, encoders, file), encoders, published, maps, file)
        scorer = held.scorers[proposal["scorer"]] = Scorer(bank, maps, proposal["method"])
    check_figures(bank, scorer, proposal, ladder, header["curve"], file, where)
    expected = {
        "decisions": before,
        "evidence_digest": link,
        "groups": bank.count,
        "trimmed": int((published == 0).sum()),
        "curve": "own" if bank.count >= OWN_CURVE else "shipped",
    }
    for field, value in expected.items():
        if proposal[field] != value:
            differs(where, f"{field} is {shown(proposal[field])}, the claims give {shown(value)}")
    return scorer


def covariances_of(ladders, encoders, file):
    """Within a pair and across its sides, by encoder, of the worlds that the ladders hold."""
    if (ladders["method"] == SCORER_METHODS[4]) != ("worlds" in ladders):
        differs(file, "its ladders are without the covariances of worlds, or hold such of another method")
    found = []
    for one in ladders.get("worlds", {}).get("covariances", []):
        found.append([])
        for text in (one["within"], one["across"]):
            size = 2 * LENGTH * (LENGTH + 1)
            content = base64.b64decode(text) if len(text) == 4 * math.ceil(size / 3) else b""
            values = np.frombuffer(content, "<f4") if len(content) == size else np.array([math.nan])
            if not np.isfinite(values).all():
                differs(file, "its ladders hold covariances of another shape")
            table = np.zeros((LENGTH, LENGTH))
            table[np.tril_indices(LENGTH)] = values
            found[-1].append(np.where(np.tri(LENGTH), table, table.T))
    if "worlds" in ladders and len(found) != encoders:
        differs(file, "its ladders hold covariances of another number of encoders")
    return found


def check_maps(bank, worlds, encoders, published, maps, file):
    """Sections 3 to 5: weights and maps."""
    weights = trimmed(bank, worlds, encoders, published) if len(published) == len(bank.claims) else None
    if weights is None:
        differs(file, "its weights are others than its bank gives")
    for without, of_map in zip(LEFT_OUT, maps):
        taken = np.where(without >> bank.fold & 1, 0, weights)
        for encoder, (a, b, rows) in enumerate(of_map):
            own_a, own_b, own_rows = fit_map(bank, worlds, taken, encoder)
            if max(np.abs(own_a - a).max(), np.abs(own_b - b).max()) > 1e-6:
                differs(file, f"its map without folds {without} has other means than its bank gives")
            # R'R does not depend on the signs of rows, nor on a basis of equal directions.
            mine, theirs = (one.T @ one for one in (own_rows, rows.astype(np.float64)))
            if np.linalg.norm(mine - theirs) > MAP_TOLERANCE * np.linalg.norm(mine):
                differs(file, f"its map without folds {without} has other directions than its bank gives")


def check_figures(bank, scorer, proposal, ladder, curve, file, where):
    """Section 7, cross-fitted: the curve, and what the proposal told of each rung, as far as rounding leaves it open."""
    rough, polish = (bank.sides[side][bank.first] for side in ("rough", "polish"))
    n = bank.count
    mapped, spare = scorer.pairs(rough, polish, tuple(np.indices((n, n)).reshape(2, -1)))
    of_itself = np.eye(n, dtype=bool)
    parts = []
    for table in (mapped.reshape(n, n), rough_scores(polish, rough)):
        parts += [np.sort(table[of_itself]), np.sort(table[~of_itself])]
    own, wrong, raw_own, raw_wrong = parts
    if n >= OWN_CURVE:
        sound = curve["from"] == "own" and is_curve((curve["scores"], curve["probabilities"]), curve_of(own, wrong))
    else:
        sound = same(curve, {**ladder["p_match_5050"], "from": "shipped"})
    if not sound:
        differs(file, "its probability curve is not what its bank or ladder gives")
    if len(proposal["rungs"]) != len(ladder["rungs"]):
        differs(where, "it tells of other rungs than the ladder has")
    for told, carried in zip(proposal["rungs"], ladder["rungs"]):
        target, threshold = carried["reject_target"], carried["threshold"]
        ends = [ordered_quantile(wrong, target, by) for by in (-spare, spare)]
        raw = ordered_quantile(raw_wrong, target)
        for field, values, low, high in (
            ("confirmed_mapped", own, *ends),
            ("wrong_mapped", wrong, threshold, threshold),
            ("confirmed_raw", raw_own, raw, raw),
        ):
            least, largest = counts_above(values, low, high, spare)
            share = told[field]
            open_to = share is not None and least - 1e-6 <= share * len(values) <= largest + 1e-6
            if told["reject_target"] != target or not open_to:
                differs(where, f"what it tells of rung {target} is not what the claims give")


class MeasuredUnder:
    """The figures of a rung that the claims of a proposal give under a scorer."""

    def __init__(self, held, claims, scorer):
        n = len(claims)
        rough, polish = Stones(held, claims, "rough"), Stones(held, claims, "polish")
        self.exact = {"claims": n, "roughs": len(rough.first), "polishes": len(polish.first)}
        kept = np.ones((len(polish.first), len(rough.first)), bool)
        unit = np.full(len(polish.first), -1)
        for claim in claims:
            p, q = polish.of_set[claim["polish"]["digest"]], rough.of_set[claim["rough"]["digest"]]
            kept[p, q] = False
            if unit[p] < 0:
                unit[p] = q
        for p in range(len(polish.first)):
            for mine, theirs in ((polish.bases[p], rough.holders), (polish.digests[p], rough.of_set)):
                kept[p, [theirs[one] for one in mine if one in theirs]] = False
        from_p, from_q = (max(len(side.first) - NEWEST, 0) for side in (polish, rough))
        p, q = np.nonzero(kept[from_p:, from_q:])
        self.pairs = self.exact["pairs"] = len(p)
        if self.pairs == 0:
            return
        sides = held.vectors[rough.first[from_q:]], held.vectors[polish.first[from_p:]]
        self.scores, self.spare = scorer.pairs(*sides, (p, q))
        self.wrong = np.sort(self.scores)
        self.units = unit[p + from_p], q + from_q
        self.own = np.sort(scorer.claims(held, claims[-NEWEST:]))

    def error_at(self, threshold):
        above = self.scores > threshold
        touching, exceeding = (
            sum(np.bincount(unit, weights, self.exact["roughs"]) for unit in self.units) for weights in (None, above)
        )
        return math.sqrt(((exceeding - above.mean() * touching) ** 2).sum()) / self.pairs

    def is_accept(self, percent, proposal):
        """True if counts that rounding leaves open give the published estimate."""

        def counts(low, high):
            least = at_most(self.own, low)
            return range(least, least + min(at_most(self.own, high) - least + 1, MOST_OPEN))

        def below(share):
            ends = [ordered_quantile(self.wrong, share, by) for by in (-self.spare, self.spare)]
            return counts(ends[0] - 2 * TOLERANCE, ends[1] + 2 * TOLERANCE)

        t = proposal["threshold"]
        told = [proposal["expected_genuine_accept" + end] for end in ("", "_error", "_reason")]
        for low in below(0.8):
            for lowest in below(0.2):
                for not_above in counts(t - TOLERANCE, t + TOLERANCE):
                    found = genuine_accept(len(self.own), low, lowest, not_above, percent / 100)
                    if found[2] == told[2] and all(
                        a is b is None or (a is not None and b is not None and abs(a - b) <= 1e-9)
                        for a, b in zip(found[:2], told[:2])
                    ):
                        return True
        return False

    def faults(self, percent, proposal):
        """Members of a proposal that the claims do not give."""
        faults = [field for field, value in self.exact.items() if proposal[field] != value]
        share, threshold = percent / 100, proposal["threshold"]
        if not is_quantile(self.wrong, share, threshold, self.spare):
            return [*faults, "threshold"]
        shift = 1.959963984540054 * self.error_at(threshold)
        ranks = self.spare + 2 + math.ceil(1e-5 * self.pairs)
        ends = [min(max(share + by, 0), 1) for by in (-shift, shift)]
        interval = proposal["interval"]
        if len(interval) != 2 or not all(is_quantile(self.wrong, *one, ranks) for one in zip(ends, interval)):
            faults.append("interval")
        least, largest = counts_above(self.wrong, threshold, threshold, self.spare)
        above = round(proposal["wrong_per_1000"] / 1000 * self.pairs)
        if not least <= above <= largest or abs(1000 * (above / self.pairs) - proposal["wrong_per_1000"]) > 1e-9:
            faults.append("wrong_per_1000")
        if not self.is_accept(percent, proposal):
            faults.append("expected_genuine_accept")
        return faults


def check_scored(evidence, mapped, approved):
    """Claims that a scorer decided: each has the score of one approved before it, and the verdict of its own score.

    Answers the claims whose verdict stands on rounding.
    """
    rounded = []
    for model in dict.fromkeys(one[0] for one in mapped):
        those = [one for one in mapped if one[0] == model]
        by = [(place, scorer.claims(evidence[model], [one[1] for one in those])) for of, scorer, place in approved if of == model]
        for i, (_, claim, result, decisions) in enumerate(those):
            score, threshold = result["fused_score"], result["threshold"]
            near = [found[i] for place, found in by if place < decisions and abs(found[i] - score) <= TOLERANCE]
            if not near:
                differs("events.ndjson", f"{claim['claim_id']} has a score that no scorer gives")
            if (score > threshold) != (result["verdict"] == "MATCH"):
                differs("events.ndjson", f"{claim['claim_id']} has another verdict")
            if (near[0] > threshold) != (score > threshold):
                rounded.append(claim["claim_id"])
    return rounded


def check_approvals(population, evidence, decided):
    """Every approval against what its claims give. Answers each approved scorer with its model and place."""
    wrong, measured, before = [], {}, 0
    in_force, requests, scorers, approved = {}, {}, {}, []
    for place, event in enumerate(decided):
        data = event["data"]
        model = data["proposal"]["model"] if "proposal" in data else data["model"]
        where = f"decisions.json: approval {event['revision']}"
        if event["type"] == "ScorerRequested":
            requests[model] = (data["operator"], data["proposal"]["digest"])
        elif event["type"] == "ScorerWithdrawn":
            in_force.pop(model, None)
            requests.pop(model, None)
        elif event["type"] == "ScorerApproved":
            first, proposal = data["requested_by"], data["proposal"]
            if first is not None and (eye_of(first) == eye_of(data["operator"]) or requests.get(model) != (first, proposal["digest"])):
                differs(where, f"{shown(first)} did not request it before {shown(data['operator'])}")
            scorers[proposal["scorer"]] = check_scorer(population, evidence[model], proposal, before, where)
            approved.append((model, scorers[proposal["scorer"]], place))
            in_force[model] = proposal["scorer"]
            requests.pop(model, None)
        else:
            of = data.get("scorer")
            if of != in_force.get(model):
                differs(where, f"its scorer is {shown(of)}, in force is {shown(in_force.get(model))}")
            if event["type"] == "RungApproved":
                scorer = None if of is None else scorers[of]
                check_rung(population, evidence[model], data, where, before, of, scorer, measured, wrong)
        if event["type"] not in ("ApprovalRequested", "ScorerRequested"):
            before += 1
    if wrong:
        raise Differs("\n".join(wrong))
    return approved


def check_rung(population, held, data, where, before, of, scorer, measured, wrong):
    proposal = data["proposal"]
    model, n = proposal["model"], proposal["claims"]
    percent = round(data["reject_target"] * 100)
    at_rung = f"{percent / 100:.2f}"
    where = f"{where} at {at_rung}"
    needed = NEEDED.get(percent, math.inf)
    if n < needed:
        raise Differs("\n".join([*wrong, f"{where}: not enough claims"]))
    of_all, of_newest = METHODS if scorer is None else MAPPED_METHODS
    # A proposal by all claims stands, however many there are.
    newest = None if proposal["method"] == of_all else held.newest(n)
    claims, link = newest or (held.claims[:n], held.chain[n])
    name = model, n, of, len(claims)
    if name not in measured:
        measured[name] = Measured(held, claims) if scorer is None else MeasuredUnder(held, claims, scorer)
    figures = measured[name]
    if figures.pairs == 0:
        raise Differs("\n".join([*wrong, f"{where}: no pair of its claims is left"]))
    link = link.hex()
    method = of_newest if newest else of_all
    line = ["mvs-proposal/1", method, population, model, at_rung, before, n, link]
    expected = {
        "method": method,
        "decisions": before,
        "evidence_digest": link,
        "digest": sha256(text_of(line if scorer is None else [*line, of])).hex(),
        **({**figures.rung(percent), "claims": n} if scorer is None else {}),
    }
    for field, value in expected.items():
        if proposal[field] != value:
            wrong.append(f"{where}: {field} is {shown(proposal[field])}, the claims give {value}")
    for field in [] if scorer is None else figures.faults(percent, {**proposal, "claims": len(claims)}):
        wrong.append(f"{where}: {field} is {shown(proposal[field])}, the claims give another one")
    if min(proposal["roughs"], proposal["polishes"]) < needed / 2:
        wrong.append(f"{where}: not enough stones")


# A workspace's lot scorer: lot-scorer-method.md, and lot-method.md for scores.

OF_STONE = 96
TAILS, NEAREST, COHORT_WEIGHT, CROWDING_WEIGHT = 4, 10, 0.35, 0.1
OFFSET_ROUNDS, OFFSET_PAIRS, OFFSET_FROM = 4, 0.6, 10
LEAST_LOTS, MOST_LOTS = 5, 40
MAP_LINES = 4 * OF_STONE**2 // 1024
ROUNDS, LOT_FOLDS, PAIRS_OF_A_LOT = 4, 5, 3
WITHIN_WEIGHT, BETWEEN_WEIGHT, LEAST_BETWEEN, LEAST_VARIANCE = 150, 40, 0.1, 0.02
COHORT, ONE_IN = 1200, 30
# Scores of two programs differ by less, the rows of a map being float32.
LOT_MAP, LOT_VARIANCE, LOT_BAR = 1e-4, 1e-4, 1e-3


def float32_of(content):
    return np.frombuffer(content, "<f4").reshape(-1, OF_STONE)


def read_workspace(version, sealed, listed, files):
    """Chain roots, the number of events, and what recomputes the approvals."""
    workspace, models = listed["workspace"], listed["models"]
    decided, lots, checks, roots, number = lot_events(sealed, workspace, listed["decisions"])
    approved = [event["data"]["proposal"]["model"] for event in decided if event["type"] == "LotScorerApproved"]
    if list(dict.fromkeys(approved)) != models:
        differs("decisions.json", "lists other models than its approvals rest on")
    for path in files:
        if path.startswith("evidence/") and path.split("/")[1] not in models:
            differs(path, "belongs to a model that decisions.json does not list")

    def recompute():
        fits = check_lot_decisions(workspace, decided, lots, checks, files)
        for of, held in [*lots.items(), *checks.items()]:
            if not held["used"]:
                differs("events.ndjson", f"no approval rests on {shown(of)}")
        # Last, because they take long.
        for where, of in fits:
            fault = lot_fault(*of)
            if fault is not None:
                differs(where, f"it has another {fault} than its lots give")
        return []

    return roots, number, recompute


def lot_events(sealed, workspace, decisions):
    """The decisions with the chain over them; lots and checks with their vectors and how many decisions stand before them."""
    file, own = "events.ndjson", workspace["id"]
    decided, lots, checks, revisions, number, chained = [], {}, {}, {}, 0, False
    roots = [sha256(text_of(["mvs-lot-scorer-chain/1", own])).hex()]
    for event, line, at in events():
        number += 1
        stream, kind_of, data = event["stream"], event["type"], event["data"]
        if not kind_of.startswith("Lot"):
            differs(file, f"{at}: {kind_of} does not stand here")
        if event["revision"] <= revisions.get(stream, -1):
            differs(file, f"{at} does not follow what its stream has before it")
        revisions[stream] = event["revision"]
        if data["workspace"]["id"] != own:
            differs(file, f"{at} is of another workspace")
        if kind_of in LOT_SCORER_DECISIONS:
            n, links = len(decided), event["version"] > 1
            if stream != f"lotscorer-{own}" or data["workspace"]["name"] != workspace["name"]:
                differs(file, f"{at} is of another workspace")
            # Rows that are no events keep their places; the chain shows that no decision stood there.
            follows = event["revision"] >= n if sealed and links else event["revision"] == n
            expected = {"event": kind_of, "revision": event["revision"], **data}
            if not follows or n >= len(decisions) or not same(decisions[n], expected):
                differs("decisions.json", f"its decision {n} is not that of events.ndjson")
            if chained and not links:
                differs(file, f"{at} carries no chain, though the events before it do")
            chained = links
            if chained and data["chain"] != roots[-1]:
                differs(file, f"{at}: its chain is not what the decisions before it give")
            roots.append(sha256(f"{roots[-1]}\n{line}\n".encode()).hex())
            decided.append(event)
            continue
        enrolled = kind_of == "LotEnrolled"
        of, place, head = (lots, data["lot_id"], "lot") if enrolled else (checks, data["check_id"], "lotcheck")
        if stream != f"{head}-{own}-{place}" or event["revision"] != 0:
            differs(file, f"{at} does not stand where its stream begins")
        content = b"".join(base64.b64decode(stone["vector"]) for stone in data["stones"])
        if not np.isfinite(float32_of(content)).all():
            differs(file, f"{at} has a vector of which a value is no number")
        of[place] = {"lot": data["lot_id"], "model": data["model"], "bytes": content, "before": len(decided), "used": False}
    if len(decided) != len(decisions):
        differs("decisions.json", "has decisions that events.ndjson has not")
    return decided, lots, checks, roots, number


def check_lot_decisions(workspace, decided, lots, checks, files):
    """All of the decisions but the fits; answers with what each fit is of."""
    before, request, in_force, models, fits = 0, None, {}, {}, []
    for n, event in enumerate(decided):
        data, kind_of = event["data"], event["type"]
        where = f"decisions.json: decision {event['revision']}"
        model = data["proposal"]["model"] if "proposal" in data else data["model"]
        if kind_of == "LotScorerRequested":
            request = (data["operator"], data["proposal"]["digest"])
        elif kind_of == "LotScorerWithdrawn":
            in_force.pop(model, None)
        else:
            first, proposal = data["requested_by"], data["proposal"]
            if first is not None and (eye_of(first) == eye_of(data["operator"]) or request != (first, proposal["digest"])):
                differs(where, f"{shown(first)} did not request it before {shown(data['operator'])}")
            if proposal["decisions"] != before:
                differs(where, f"decisions is {proposal['decisions']}, before it there are {before}")
            if in_force.get(model) == proposal["scorer"]:
                differs(where, "its scorer was in force already")
            held = lots_behind(proposal, lots, checks, n, where)
            check_lot_digests(workspace, event, held, where)
            if model not in models:
                models[model] = lot_model(model, files)
            fits.append((where, (models[model], held, data["scorer"])))
            in_force[model] = proposal["scorer"]
        if kind_of != "LotScorerRequested":
            before, request = before + 1, None
    return fits


def lots_behind(proposal, lots, checks, n, where):
    """The lots that a proposal rests on: id, members, what came back."""
    rests_on = [(one["lot_id"], one["check_id"]) for one in proposal["rests_on"]]
    if not LEAST_LOTS <= len(rests_on) <= MOST_LOTS:
        differs(where, f"it rests on {len(rests_on)} lots")
    if len({lot for lot, _ in rests_on}) < len(rests_on):
        differs(where, "it rests on a lot twice")
    held = []
    for pair in rests_on:
        for of, place in zip((lots, checks), pair):
            one = of.get(place)
            if one is None or one["before"] > n:
                differs("events.ndjson", f"has not, before it, {shown(place)}, which {where} rests on")
            if one["lot"] != pair[0] or one["model"] != proposal["model"]:
                differs(where, f"{shown(place)} is of another lot or model")
            one["used"] = True
        held.append((pair[0], lots[pair[0]]["bytes"], checks[pair[1]]["bytes"]))
    for side, name_of in ((1, "members"), (2, "returned")):
        stones = sum(len(one[side]) for one in held) // (4 * OF_STONE)
        if proposal[name_of] != stones:
            differs(where, f"{name_of} is {proposal[name_of]}, its lots have {stones}")
    return held


def check_lot_digests(workspace, event, held, where):
    """Of the scorer, of the vectors, and of the proposal where no lot was left out."""
    proposal, scorer = event["data"]["proposal"], event["data"]["scorer"]
    model, bar = proposal["model"], scorer["bar"]
    if proposal["method"] != LOT_SCORER_METHOD:
        differs(where, f"its method is {shown(proposal['method'])}, this verifier knows {LOT_SCORER_METHOD}")
    if len(scorer["map"]) != MAP_LINES or any(vector(line, "") is not None for line in scorer["map"]):
        differs(where, f"its map is not {MAP_LINES} lines of 1,024 bytes in base64")
    of = [[one["lot_id"], one["check_id"]] for one in proposal["rests_on"]]
    head = text_of([LOT_SCORER_METHOD, model, bar["at"], bar["slope"], [lot for lot, _ in of]])
    tables = [base64.b64decode(text) for text in [*scorer["map"], scorer["between"]]]
    expected = {"scorer": sha256(head, *tables, *(members for _, members, _ in held))}
    if proposal["copies"] == 0:
        expected["digest"] = sha256(text_of([LOT_SCORER_METHOD, model, workspace["id"], proposal["decisions"], of]))
    if event["version"] > 1:
        parts = [part for _, members, returned in held for part in (members, returned)]
        expected["evidence_digest"] = sha256(text_of(["mvs-lot-evidence/1", model, of]), *parts)
    for field, value in expected.items():
        if proposal[field] != value.hex():
            differs(where, f"its {field} is not that of its lots")


def lot_model(model, files):
    """What the fit begins with, out of the lot model's file, whose SHA-256 is the model's digest."""
    file = f"evidence/{model}/lot-model.safetensors"
    if file not in files:
        differs(file, "is missing")
    content = content_of(file)
    if sha256(content).hex() != model:
        differs(file, "is not the model with this digest")
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])

    def tensor(of):
        begin, end = header[of]["data_offsets"]
        return float32_of(content[start + begin : start + end])

    offset = header["__metadata__"]["format"] == "mvs-lots-2"
    return LotScale(tensor("between")[0], tensor("cohort"), NEAREST, offset)


class LotScale:
    """Log-likelihood ratios of one stone against two, under variances and with a cohort."""

    def __init__(self, between, cohort, nearest, offset):
        self.between, self.cohort, self.nearest, self.offset = between.astype(float), cohort.astype(float), nearest, offset
        t = self.between + TAILS
        d = t * t - self.between**2
        self.square, self.cross = (t / d - 1 / t) / 2, self.between / d
        self.constant = np.log(t * t / d).sum() / 2

    def ratios(self, a, b):
        own = [(rows**2 @ self.square) for rows in (a, b)]
        return (a * self.cross) @ b.T + self.constant - own[0][:, None] - own[1]

    def placed(self, rows, centre):
        vectors = (rows - centre).astype(np.float32).astype(float)
        near = np.sort(self.ratios(vectors, self.cohort), axis=1)[:, -self.nearest :].mean(axis=1)
        return vectors, near

    def enrolled(self, rows):
        """Members about their middle: vectors, likeness to the cohort, crowding, the middle."""
        centre = rows.mean(axis=0)
        vectors, near = self.placed(rows, centre)
        ratios = self.ratios(vectors, vectors)
        np.fill_diagonal(ratios, 0)
        return vectors, near, np.maximum(ratios.max(axis=1), 0), centre

    def scores(self, members, stones):
        """Stones x members."""
        vectors, near, crowded, _ = members
        return self.ratios(stones[0], vectors) - COHORT_WEIGHT * (near + stones[1][:, None]) - CROWDING_WEIGHT * crowded

    def paired(self, members, returned, centre):
        stones = self.placed(returned, centre)
        table = self.scores(members, stones)
        return stones, table, assignment(table)

    def centre_of_return(self, members, returned):
        """The members' middle, and what the session has in common, by medians over the best pairs."""
        centre = members[3].copy()
        if not self.offset or len(returned) < OFFSET_FROM:
            return centre
        for _ in range(OFFSET_ROUNDS):
            stones, table, (rows, columns) = self.paired(members, returned, centre)
            best = np.lexsort((rows, -table[rows, columns]))[: math.ceil(OFFSET_PAIRS * len(rows))]
            apart = stones[0][rows[best]] - members[0][columns[best]]
            centre += np.sort(apart, axis=0)[len(best) // 2]
        return centre

    def pairs(self, rows, returned):
        """The one-to-one pairs of a return with their margins."""
        members = self.enrolled(rows)
        _, table, (stones, columns) = self.paired(members, returned, self.centre_of_return(members, returned))
        margins = []
        for v, m in zip(stones, columns):
            others = np.concatenate([np.delete(table[v], m), np.delete(table[:, m], v)])
            margins.append(table[v, m] - others.max())
        return stones, columns, np.array(margins)


def assignment(table):
    """Rows and columns of the one-to-one pairing with the largest sum; all of the fewer side are paired."""
    turned = table.shape[0] > table.shape[1]
    cost = -(table.T if turned else table)
    n, m = cost.shape
    u, v, held, way = np.zeros(n), np.zeros(m), np.full(m, -1), np.zeros(m, int)
    for row in range(n):
        least, seen, i, column = np.full(m, np.inf), np.zeros(m, bool), row, -1
        while True:
            reduced = cost[i] - u[i] - v
            better = ~seen & (reduced < least)
            least[better], way[better] = reduced[better], column
            following = int(np.argmin(np.where(seen, np.inf, least)))
            step = least[following]
            u[row] += step
            u[held[seen]] += step
            v[seen] -= step
            least[~seen] -= step
            column = following
            seen[column] = True
            if held[column] < 0:
                break
            i = held[column]
        while column >= 0:
            before = way[column]
            held[column] = row if before < 0 else held[before]
            column = before
    columns = np.flatnonzero(held >= 0)
    rows, columns = (columns, held[columns]) if turned else (held[columns], columns)
    order = np.argsort(rows)
    return rows[order], columns[order]


def lot_scatter(rows):
    apart = rows - rows.mean(axis=0)
    return apart.T @ apart, len(rows) - 1


def lot_scatters(shipped, parts):
    """W* and B* of some lots: the scatter of believed pairs (None where too few) and of members."""

    def total(held):
        held = [one for one in held if one is not None]
        zero = np.zeros((OF_STONE, OF_STONE))
        return sum((sums for sums, _ in held), zero), sum(count for _, count in held)

    (pairs, n), (members, m) = total([one for one, _ in parts]), total([one for _, one in parts])
    within, whole = pairs / (2 * max(1, n)), members / max(1, m)
    sphere = round(math.exp(np.log(np.maximum(1e-6, np.diag(within))).mean()) * 1e6) / 1e6
    scale = max(np.trace(whole) - np.trace(within), LEAST_BETWEEN * np.trace(whole)) / shipped.between.sum()
    prior = np.diag((np.diag(within) + sphere) / 2)
    w = (n * within + WITHIN_WEIGHT * prior) / (n + WITHIN_WEIGHT)
    b = (m * (whole - within) + BETWEEN_WEIGHT * scale * np.diag(shipped.between)) / (m + BETWEEN_WEIGHT)
    return w, b


def lot_map(w, b):
    lower = np.linalg.inv(np.linalg.cholesky(w))
    values, vectors = np.linalg.eigh(lower @ b @ lower.T)
    rows = (lower.T @ vectors).T[::-1]
    # The number of the largest size is above 0.
    signs = np.sign(rows[np.arange(OF_STONE), np.abs(rows).argmax(axis=1)])
    return (rows * signs[:, None]).astype(np.float32), np.maximum(LEAST_VARIANCE, values[::-1]).astype(np.float32)


def lot_scales(shipped, scorer, lots):
    """Scales for lots under a scorer of some lots: a lot's own stones are no cohort for it."""
    rows, between = scorer
    cohorts = {}
    for lot, members, _ in lots:
        under = under_map(rows, members)
        cohorts[lot] = (under - under.mean(axis=0)).astype(np.float32)

    def scale_for(lot):
        cohort = np.concatenate([one for of, one in cohorts.items() if of != lot])
        if len(cohort) > COHORT:
            cohort = cohort[np.arange(COHORT) * len(cohort) // COHORT]
        # JavaScript rounds a half up.
        return LotScale(between, cohort, max(1, math.floor(len(cohort) / ONE_IN + 0.5)), shipped.offset)

    return scale_for


def under_map(rows, vectors):
    return (vectors.astype(float) @ rows.astype(float).T).astype(np.float32).astype(float)


def believed_scatter(lots, pairs):
    """Of each lot the scatter of the pairs in the upper half of all margins, none below 0; None where they are too few."""
    margins = np.sort(np.concatenate([margins for _, _, margins in pairs]))
    least = max(0.0, margins[len(margins) // 2])
    held = []
    for (_, members, returned), (rows, columns, margins) in zip(lots, pairs):
        kept = margins >= least
        apart = returned[rows[kept]].astype(float) - members[columns[kept]]
        held.append(lot_scatter(apart) if kept.sum() >= PAIRS_OF_A_LOT else None)
    return held


def lot_bar(lots, tables):
    best, halved, sizes = [], [], []
    for table in tables:
        size = len(table)
        np.fill_diagonal(table, -np.inf)
        alike = np.arange(size) % 2 == np.arange(size)[:, None] % 2
        best += table.max(axis=1).tolist()
        halved += np.where(alike, table, -np.inf).max(axis=1).tolist()
        sizes += [size] * size
    slope = max(0.1, (np.quantile(best, 0.7) - np.quantile(halved, 0.7)) / math.log(2))
    level = np.quantile(np.array(best) - slope * np.log(np.array(sizes) - 1), 0.5)
    mean = sum(math.log(len(members)) for _, members, _ in lots) / len(lots)
    return {"at": level + slope * mean / 2, "slope": slope / 2}


def is_lot_map(w, b, rows, between):
    """V'W*V = I and V'B*V = diag(l): whatever basis of equal variances a program took."""
    if rows.shape != (OF_STONE, OF_STONE) or between.shape != (OF_STONE,) or (np.diff(between) > 0).any():
        return False
    unit, variances = rows @ w @ rows.T, rows @ b @ rows.T
    spread = LOT_VARIANCE * between.max()
    beside = variances - np.diag(np.diag(variances))
    return (
        np.abs(unit - np.eye(OF_STONE)).max() <= LOT_MAP
        and np.abs(beside).max() <= spread
        and np.abs(np.maximum(LEAST_VARIANCE, np.diag(variances)) - between).max() <= spread
    )


def lot_fault(shipped, held, stored):
    """What of a scorer is otherwise than its lots give it, or None."""
    lots = [(lot, float32_of(members), float32_of(returned)) for lot, members, returned in held]
    members = [lot_scatter(rows.astype(float)) for _, rows, _ in lots]

    def scatters(pairs, keep):
        return lot_scatters(shipped, [(pairs[i], members[i]) for i in range(len(lots)) if keep(i)])

    pairs = believed_scatter(lots, [shipped.pairs(rows.astype(float), back.astype(float)) for _, rows, back in lots])
    for _ in range(1, ROUNDS):
        scorer = lot_map(*scatters(pairs, lambda i: True))
        scale_for = lot_scales(shipped, scorer, lots)
        found = [scale_for(lot).pairs(*(under_map(scorer[0], one) for one in (rows, back))) for lot, rows, back in lots]
        pairs = believed_scatter(lots, found)
    rows = np.frombuffer(b"".join(base64.b64decode(text) for text in stored["map"]), "<f4").astype(float)
    if rows.size != OF_STONE * OF_STONE:
        return "map"
    between = np.frombuffer(base64.b64decode(stored["between"]), "<f4").astype(float)
    if not is_lot_map(*scatters(pairs, lambda i: True), rows.reshape(OF_STONE, OF_STONE), between):
        return "map"
    tables = [None] * len(lots)
    for fold in range(LOT_FOLDS):
        scorer = lot_map(*scatters(pairs, lambda i: i % LOT_FOLDS != fold))
        scale_for = lot_scales(shipped, scorer, [lot for i, lot in enumerate(lots) if i % LOT_FOLDS != fold])
        for i in range(fold, len(lots), LOT_FOLDS):
            scale = scale_for(lots[i][0])
            enrolled = scale.enrolled(under_map(scorer[0], lots[i][1]))
            tables[i] = scale.scores(enrolled, enrolled)
    bar = lot_bar(lots, tables)
    return None if all(abs(bar[part] - stored["bar"][part]) <= LOT_BAR for part in bar) else "bar"


def root_digest(argument):
    if not re.fullmatch("[0-9a-fA-F]{64}", argument):
        raise argparse.ArgumentTypeError("roots and keys are 64 hex digits")
    return argument.lower()


def main():
    arguments = argparse.ArgumentParser(description="Verifies an audit bundle.")
    arguments.add_argument("given", nargs="*", metavar="folder or zip, root digest", help="by default this folder")
    arguments.add_argument("--continues", type=root_digest, help="a chain root noted earlier")
    arguments.add_argument("--key", type=root_digest, help="the bundle must be signed by this public key")
    told = arguments.parse_args()
    given = list(told.given)
    # A folder may be named like a digest: ./ before it says so.
    root = root_digest(given.pop()) if given and re.fullmatch("[0-9a-fA-F]{64}", given[-1]) else None
    if len(given) > 1:
        arguments.error("give one folder or zip, and one root digest of 64 hex digits")
    global bundle
    bundle = place_of(given[0] if given else ".")
    found, version, files, seals = check_files(root)
    signer = check_signature(seals, told.key)
    content = utf8("decisions.json", content_of("decisions.json"))
    if not content.endswith("\n"):
        differs("decisions.json", "its last line is cut")
    listed = checked("decisions.json", LISTING[version], parsed("decisions.json", content[:-1], 1), "it")
    if list(listed) != ORDERS[version]:
        differs("decisions.json", "has its members in another order")
    read = read_workspace if version == OF_WORKSPACE else read_population
    roots, number, recompute = read(version, seals is not None, listed, files)
    if seals is not None and sum(seals.values()) != number:
        differs("manifest.json", f"its seals are not those of the {number} events that there are")
    if version > 1 and listed["chain_root"] != roots[-1]:
        differs("decisions.json", f"its chain_root is {listed['chain_root']}, the events give {roots[-1]}")
    if told.continues is not None and told.continues not in roots:
        differs("events.ndjson", f"its decisions do not continue those up to the chain root {told.continues}")
    rounded = recompute()
    print("OK")
    print(f"root digest {found}\nchain root {roots[-1]}", file=sys.stderr)
    if signer is None:
        print("not signed: nothing shows that a service wrote its events", file=sys.stderr)
    else:
        of = f"{seals['sealed']} sealed, {seals['taken']} taken by an operator as they stood"
        print(f"signed by {signer}\nevents: {of}, {seals['unsealed']} without a seal", file=sys.stderr)
    if rounded:
        print(f"verdicts that stand on rounding: {', '.join(rounded)}", file=sys.stderr)


def read_population(version, sealed, listed, files):
    """Chain roots, the number of events, and what recomputes the approvals."""
    population, models = listed["population"], listed["models"]
    evidence = {}
    for one in models:
        if one["model"] in evidence:
            differs("decisions.json", f"lists the model {one['model']} twice")
        evidence[one["model"]] = Evidence(population, one["model"], one["encoders"], one["claims"], files)
    for path in files:
        if path.startswith("evidence/") and path.split("/")[1] not in evidence:
            differs(path, "belongs to a model that decisions.json does not list")
    decided, roots, mapped, number = check_events(version, sealed, population, evidence, listed["decisions"])
    check_models(models, decided)

    def recompute():
        approved = check_approvals(population, evidence, decided)
        for path in files:
            if re.search("/(scorer|ladders)-", path) and path not in evidence[path.split("/")[1]].used:
                differs(path, "is what no approval rests on")
        return check_scored(evidence, mapped, approved)

    return roots, number, recompute


if __name__ == "__main__":
    try:
        main()
    except Differs as error:
        print(error)
        sys.exit(1)
    except Unreadable as error:
        print(f"cannot read: {error}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:  # Any other error: the bundle could not be read.
        print(f"cannot read: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(2)
