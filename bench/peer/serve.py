"""The plain way to the same verdict: FastAPI, numpy, one SQLite row per claim. The service is compared with it.

    PEER_DB=peer.db PEER_API_KEY=key PORT=8977 python3 serve.py

POST /api/v1/verify-match takes the JSON claims of the service, with the shipped model and its thresholds. It checks,
digests, gauges, encodes, judges and commits as the service does, in numpy and float32 BLAS, so that scores agree to about
1e-5. It keeps no events, views, findings or labels and reads no files: a comparison must say so.
Debian: apt-get install --no-install-recommends python3-fastapi python3-uvicorn python3-numpy python3-uvloop
python3-httptools python3-ujson libopenblas0-pthread
"""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hashlib
import hmac
import json
import signal
import socket
import sqlite3
import struct
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import ujson
import uvicorn
from fastapi import FastAPI, Request, Response

ROOT = Path(__file__).resolve().parents[2]
MODEL = max((ROOT / "models").glob("match-*"))
PROCESSES = int(os.environ.get("PEER_PROCESSES", 2))

POINTS = 671
AXIS = np.linspace(492.23, 5988.79, POINTS)
STEP = (5988.79 - 492.23) / (POINTS - 1)


class Refused(Exception):
    def __init__(self, status, detail):
        self.status, self.detail = status, detail


def quantile(values, q):
    """np.quantile spends most of its time on its arguments."""
    ordered = np.sort(values)
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


# --------------------------------------------------------------------------------------------------------- the upload


def read_side(body, name):
    """Ascending axis [n], scans [m, n], stone reference or None."""
    side = body.get(name)
    if not isinstance(side, dict):
        raise Refused(422, f'{name}: the member "{name}" is missing or no object')
    try:
        axis = np.array(side["wavenumbers"], dtype=np.float64)
        scans = np.array(side["spectra"], dtype=np.float64)
    except (KeyError, TypeError, ValueError):
        raise Refused(422, f"{name}: send wavenumbers and spectra, each as long as wavenumbers") from None
    if axis.ndim != 1 or not 50 <= len(axis) <= 100_000:
        raise Refused(422, f"{name}: wavenumbers must be a list of 50 to 100000 numbers")
    if scans.ndim != 2 or scans.shape[1] != len(axis) or not 1 <= len(scans) <= 64:
        raise Refused(422, f"{name}: send 1 to 64 spectra, each as long as wavenumbers")
    if not (np.isfinite(axis).all() and np.abs(scans).max() <= 1e6):
        raise Refused(400, f"{name}: non-finite values")
    if (np.diff(axis) <= 0).any():
        order = np.argsort(axis, kind="stable")
        axis, scans = axis[order], np.ascontiguousarray(scans[:, order])
        if (np.diff(axis) <= 0).any():
            raise Refused(422, f"{name}: a wavenumber repeats")
    if (scans.max(1) == scans.min(1)).any():
        raise Refused(400, f"{name}: scan(s) are flat")
    stone = side.get("stone_id")
    return axis, scans, stone.strip()[:128] if isinstance(stone, str) else None


def digest_of(axis, scans):
    head = hashlib.sha256(axis.tobytes()).digest()
    each = sorted(hashlib.sha256(head + scan.tobytes()).hexdigest() for scan in scans)
    return hashlib.sha256(",".join(each).encode()).hexdigest(), len(each) - len(set(each))


def on_reference_axis(axis, scans):
    """NaN where nothing was measured; finer axes are averaged over one step before they are sampled."""
    step = (axis[-1] - axis[0]) / (len(axis) - 1)
    if step < 0.99 * STEP:
        sums = np.concatenate([np.zeros((len(scans), 1)), np.cumsum((scans[:, 1:] + scans[:, :-1]) * np.diff(axis) / 2, 1)], 1)
        at = lambda x: np.array([np.interp(x, axis, row) for row in sums])
        sampled = (at(AXIS + STEP / 2) - at(AXIS - STEP / 2)) / STEP
    else:
        sampled = np.array([np.interp(AXIS, axis, scan) for scan in scans])
    outside = (AXIS < axis[0] - 0.05 * STEP) | (AXIS > axis[-1] + 0.05 * STEP)
    sampled[:, outside] = np.nan
    if outside.sum() > POINTS // 3:
        raise Refused(400, "scan(s) carry no identity")
    return sampled.astype(np.float32)


# --------------------------------------------------------------------------------------------------------- the gauges

# docs/concepts/gauges.md says what these are; libs/science/spectra/gauges/constants.ts and fitted.ts hold the service's own.
LOW, MIDDLE, HIGH = [1, 2, 3], [4, 5, 6, 7, 8], [11, 12, 13, 14, 15]
FIRST, LAST, WIDTH = 700, 5950, 262.5
WINDOWS = int((LAST - FIRST) // (WIDTH / 2)) - 1
NOISE_POINTS = 96
NOISE_HARMONICS = list(range(8, NOISE_POINTS // 2 + 1, 2))


@lru_cache(64)
def transform(points, harmonics):
    """Detrend, taper and Fourier sums as one matrix: points x (cosines, sines)."""
    x = (points - 1) / 2 - np.arange(points)
    basis = np.linalg.qr(np.stack([np.ones(points), x, x * x], 1))[0]
    hann = 0.5 + 0.5 * np.cos(2 * np.pi * x / (points + 1))
    hann /= np.sqrt((hann**2).sum())
    angle = 2 * np.pi * np.outer(x, harmonics) / points
    waves = np.concatenate([np.cos(angle), np.sin(angle)], 1)
    return (np.eye(points) - basis @ basis.T) @ (hann[:, None] * waves)


def powers(windows, harmonics):
    sums = windows @ transform(windows.shape[-1], tuple(harmonics))
    half = len(harmonics)
    return sums[..., :half] ** 2 + sums[..., half:] ** 2


def lattice_variances(scans):
    """By scan: what rounding to 2, 3, 4 or 5 decimals gives, where all its values are so rounded."""
    sample = scans[:, :: -(-scans.shape[1] // 512)]
    variances = np.zeros(len(scans))
    for decimals in (5, 4, 3, 2):
        scaled = sample * 10.0**decimals
        rounded = (np.abs(scaled - np.rint(scaled)) <= 1e-6 * np.maximum(1, np.abs(scaled))).all(1)
        if not rounded.any():
            break
        variances[rounded] = 10.0 ** (-2 * decimals) / 12
    return variances


@lru_cache(64)
def window_plan(axis_bytes, step):
    """Blocks, points and first blocks of the windows of an axis."""
    axis = np.frombuffer(axis_bytes)
    block = max(1, int(2.05 // step))
    points = 4 * round(WIDTH / (step * block) / 4)
    at = np.searchsorted(axis, FIRST + WIDTH / 2 * np.arange(WINDOWS)) // block
    starts = np.unique(at[at + points <= len(axis) // block])
    return block, points, starts[:, None] + np.arange(points)


def noise_characters(axis, scans, step):
    """(detail, noise floor) of the scans, or None where their axis is too short."""
    block, points, places = window_plan(axis.tobytes(), step)
    count = len(places)
    if count < 12:
        return None
    blocks = len(axis) // block
    samples = scans if block == 1 else scans[:, : blocks * block].reshape(len(scans), blocks, block).mean(2)
    power = powers(samples[:, places], LOW + MIDDLE + HIGH)
    lattice = (lattice_variances(scans) / block)[:, None]
    bands = (power[..., :3].sum(2) / 3, power[..., 3:8].sum(2) / 5, power[..., 8:].sum(2) / 5)
    low, middle, high = (np.minimum(np.maximum(band + lattice, 1e-24), 1e30) for band in bands)
    over_low, over_high = np.log10(middle / low), np.log10(middle / high)
    used = round(count * 0.35)
    best = np.argsort(over_low, 1)[:, -used:]
    decades = np.maximum(0, np.minimum(2, np.take_along_axis(over_high, best, 1)).sum(1) / used - 0.7)
    missing = min(1, (WINDOWS - count) / (WINDOWS - -(-(4000 - FIRST) // (WIDTH / 2))))
    ratio = np.minimum(0.2, np.take_along_axis(over_low, best, 1)).sum(1) / used
    detail = 1.15 * (ratio + 0.0716 + np.minimum(0.15, 0.3 * decades) + 0.4008 * missing)
    roots = np.sort(np.sqrt(high * (step * block / STEP)), 1)
    place = 0.1 * (count - 1)
    below = int(place)
    floor = roots[:, below] + (place - below) * (roots[:, below + 1] - roots[:, below])
    return detail, floor


def savitzky_golay(points, order):
    x = np.arange(points) - points // 2
    return np.linalg.pinv(np.vander(x / x.max(), order + 1, increasing=True))[0]


@lru_cache(1)
def noise_models():
    """Columns of 1 / model for unprocessed spectra, then after polynomial, averaging and heavier smoothing; their ends."""
    grid = (np.arange(256) + 0.5) * 0.5 / 256
    x = np.arange(NOISE_POINTS) - (NOISE_POINTS - 1) / 2
    waves = np.cos(2 * np.pi * np.outer(np.concatenate([grid, grid]), x) + np.repeat([0, np.pi / 2], 256)[:, None])
    sums = waves @ transform(NOISE_POINTS, tuple(NOISE_HARMONICS))
    half = len(NOISE_HARMONICS)
    leak = (sums[:, :half] ** 2 + sums[:, half:] ** 2).reshape(2, 256, half).sum(0)
    windows = [
        lambda u: np.ones_like(u),
        lambda u: 1 - u,
        lambda u: 0.54 + 0.46 * np.cos(np.pi * u),
        lambda u: 0.42323 + 0.49755 * np.cos(np.pi * u) + 0.07922 * np.cos(2 * np.pi * u),
        lambda u: 0.152442 - 0.136176 * (1 - u * u) + 0.983734 * (1 - u * u) ** 2,
    ]

    def clean(cuts, apodisations):
        power = lambda f, cut, window: np.where(f < cut, window(np.minimum(f / cut, 1)) ** 2, 0)
        folds = [grid, 1 - grid, 1 + grid, 2 - grid, 2 + grid]
        return [sum(power(f, cut, window) for f in folds) for cut in cuts for window in apodisations]

    def rows(spectra, floors):
        seen = np.array(spectra) @ leak
        seen = (seen / seen.max(1, keepdims=True))[:, None, :] + np.array(floors)[None, :, None] + 2e-4
        seen = seen.reshape(-1, half)
        return np.exp(np.log(seen).mean(1, keepdims=True)) / seen

    def smoothed(filters):
        base = clean(np.geomspace(0.06, 1.2, 9), windows[1:3])
        gains = [(np.cos(2 * np.pi * np.outer(grid, np.arange(len(c)) - len(c) // 2)) @ c) ** 2 for c in filters]
        return rows([spectrum * gain for gain in gains for spectrum in base], [0, 1e-2])

    averages = lambda counts: [np.full(count, 1 / count) for count in counts]
    fits = lambda order, counts: [savitzky_golay(count, order) for count in counts]
    families = (
        rows(clean(np.geomspace(0.035, 1.3, 26), windows), [0, 4e-4, 1.5e-3, 6e-3, 2.5e-2]),
        smoothed(fits(2, [7, 9, 11, 13, 15, 17]) + fits(4, [9, 11, 13, 15, 17, 21])),
        smoothed(averages([3, 5, 7, 9, 11, 13])),
        smoothed(averages([15, 17, 21, 25, 31, 41]) + fits(2, [21, 25, 31, 41])),
    )
    begins = np.cumsum([0] + [len(family) for family in families[:-1]])
    return np.ascontiguousarray(np.concatenate(families).T), begins


def smoothing_fit(axis, scans):
    """Log-likelihood ratios a bin by which smoothing explains the noise: (any light one, averaging, heavy), or None."""
    first, last = np.searchsorted(axis, FIRST), np.searchsorted(axis, LAST)
    room = last - first - NOISE_POINTS
    if room < 0 or axis[last - 1] - axis[first] < 1700:
        return None
    hop = max(NOISE_POINTS / 4, room / 23)
    starts = first + (np.arange(int(room / hop + 1e-9) + 1) * hop).astype(int)
    stride = -(-len(starts) * len(scans) // 64)
    # Each scan gives every stride-th window, the next scan the ones beside.
    scan, window = np.nonzero((np.arange(len(starts)) + np.arange(len(scans))[:, None]) % stride == 0)
    if len(scan) < 8:
        return None
    power = powers(scans[scan[:, None], starts[window][:, None] + np.arange(NOISE_POINTS)], NOISE_HARMONICS)
    power /= np.maximum(power.sum(1, keepdims=True), 1e-300)
    upper = power[:, len(NOISE_HARMONICS) // 2 :].sum(1)
    spectrum = power[upper >= quantile(upper, 0.35)].sum(0)
    spectrum = spectrum / spectrum.max() + 2e-4
    models, begins = noise_models()
    unprocessed, polynomial, average, heavy = np.log(np.minimum.reduceat(spectrum @ models, begins))
    return unprocessed - min(polynomial, average), unprocessed - average, unprocessed - heavy


BANDS = np.flatnonzero(((AXIS > 1700) & (AXIS < 2290)) | ((AXIS > 2400) & (AXIS < 2670)))
BASE = np.flatnonzero(AXIS > 3600)[::3]


def sharpness(spectra):
    mean = spectra.mean(0, dtype=np.float64)
    base = mean[BASE][~np.isnan(mean[BASE])]
    limit = quantile(base, 0.2) + 2.6 if len(base) else np.inf
    clear = BANDS[mean[BANDS] < limit]
    bins = clear if len(clear) >= 30 else BANDS
    slope = (mean[bins + 1] - mean[bins - 1]) / 2
    bend = mean[bins + 1] - 2 * mean[bins] + mean[bins - 1]
    ratio = np.sqrt((bend**2).mean()) / max(np.sqrt((slope**2).mean()), 1e-30)
    return 0.0825 * float(ratio)


def gauges(axis, scans, spectra):
    """(sharpness, detail residual, locally polynomial)."""
    step = (axis[-1] - axis[0]) / (len(axis) - 1)
    fit = smoothing_fit(axis, scans)
    found = noise_characters(axis, scans, step)
    if found is None:
        return sharpness(spectra), 0.0, float(fit[0]) if fit else 0.0
    detail, floor = found
    if fit is None or fit[2] < 0.08:
        detail = detail + 0.45 * np.maximum(0, -0.23 - detail)
    residual = detail.sum() / len(detail) - np.maximum(0, np.log10(8e-6 / floor)).sum() / len(floor)
    if fit:
        residual -= 4 * max(0, fit[1] - 0.05, fit[2] - 0.15)
    return sharpness(spectra), float(residual), float(fit[0]) if fit else 0.0


# -------------------------------------------------------------------------------------------------------- the encoders


def read_model(file):
    raw = file.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(raw[begin:end], np.float32).reshape(entry["shape"])
    return metadata, tensors


def between(a, b):
    return (AXIS >= a) & (AXIS <= b)


class Encoder:
    def __init__(self, name, metadata, tensors):
        part = lambda key: tensors[f"{name}.{key}"]
        self.name = name
        self.derivative = int(metadata[f"{name}.derivative"])
        self.points = len(part("scale"))
        self.path_bins = np.flatnonzero(between(1680, 2300) | between(2400, 2680))
        self.hidden_bins = np.flatnonzero(between(2300, 2390) | between(2840, 2970))
        self.yardstick, self.scale = np.abs(part("yardstick")), part("scale")
        self.linear, self.bias = part("linear"), part("bias")
        self.hidden, self.hidden_bias, self.output = part("hidden"), part("hidden_bias"), part("output")
        self.centre = part("centre")
        if self.derivative == 1:
            self.taps = np.array([-3, -2, -1, 0, 1, 2, 3], np.float32) / np.float32(28)
        else:
            self.taps = np.array([28, 7, -8, -17, -20, -17, -8, 7, 28], np.float32) / np.float32(462)

    def view(self, spectra, weight):
        reach = len(self.taps) // 2
        width = self.points - 2 * reach
        slope = np.zeros_like(spectra)
        for tap, k in zip(self.taps, range(len(self.taps))):
            if tap != 0:
                slope[:, reach : reach + width] += tap * spectra[:, k : k + width]
        slope *= weight
        bins = self.path_bins
        expected = (weight[:, bins] * self.yardstick[bins]).sum(1)
        path = np.abs(slope[:, bins]).sum(1) / np.maximum(expected, 1e-9)
        if not ((path > 1e-3) & (path < 1e3)).all():
            raise Refused(400, "scan(s) are flat")
        seen = np.arcsinh(slope / path[:, None] / self.scale)
        seen[:, self.hidden_bins] = 0
        return seen

    def __call__(self, x):
        h = x @ self.hidden + self.hidden_bias
        h *= np.float32(0.5) * (1 + np.tanh(np.float32(0.7978845608) * (h + np.float32(0.044715) * h * h * h)))
        z = x @ self.linear + self.bias + h @ self.output
        z = z / np.linalg.norm(z, axis=1, keepdims=True) - self.centre
        return z / np.linalg.norm(z, axis=1, keepdims=True)


metadata, tensors = read_model(MODEL / "model.safetensors")
ENCODERS = [Encoder(name, metadata, tensors) for name in metadata["encoders"].split()]
BASELINE = np.flatnonzero(between(3610, 3990))
ASSET = json.loads((MODEL / "calibration.json").read_text())
RUNGS = {round(rung["reject_target"], 2): rung for rung in ASSET["rungs"]}
CURVE = ASSET["p_match_5050"]


def pooled(rows):
    """The mean of a side's preprocessed scans; of four and more without the lowest and the highest value of each point."""
    if len(rows) < 4:
        return rows.mean(0)
    return (rows.sum(0) - rows.min(0) - rows.max(0)) / np.float32(len(rows) - 2)


def encode(spectra, rough):
    """Per encoder the unit vectors of both sides; the first `rough` spectra are the rough's."""
    points = ENCODERS[0].points
    known = np.nan_to_num(spectra[:, :points], nan=0.0)
    base = np.sort(known[:, BASELINE], 1)[:, int(0.2 * len(BASELINE))]
    weight = 1 / (1 + np.exp(np.clip((known - base[:, None] - np.float32(2.6)) / np.float32(0.15), -40, 40)))
    vectors = {}
    for encoder in ENCODERS:
        seen = encoder.view(known, weight)
        vectors[encoder.name] = encoder(np.stack([pooled(seen[:rough]), pooled(seen[rough:])]))
    return vectors


# ------------------------------------------------------------------------------------------------------------- storing

SCHEMA = """
CREATE TABLE IF NOT EXISTS keys (hash BLOB PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS claims (
  claim_id TEXT PRIMARY KEY, key_name TEXT NOT NULL, at REAL NOT NULL, rough TEXT NOT NULL, polish TEXT NOT NULL,
  rough_stone TEXT, polish_stone TEXT, result TEXT NOT NULL, rough_vectors BLOB NOT NULL, polish_vectors BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS by_rough ON claims (key_name, rough);
CREATE INDEX IF NOT EXISTS by_polish ON claims (key_name, polish);
"""


def open_db():
    db = sqlite3.connect(os.environ.get("PEER_DB", "peer.db"), timeout=30, isolation_level=None, check_same_thread=False)
    db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;" + SCHEMA)
    key = os.environ.get("PEER_API_KEY", "peer-key")
    db.execute("INSERT OR IGNORE INTO keys VALUES (?, 'bench')", (hashlib.sha256(key.encode()).digest(),))
    return db


def key_name(db, key):
    given = hashlib.sha256((key or "").encode()).digest()
    row = db.execute("SELECT hash, name FROM keys WHERE hash = ?", (given,)).fetchone()
    if row is None or not hmac.compare_digest(row[0], given):
        raise Refused(401, "valid X-Api-Key header required")
    return row[1]


# ------------------------------------------------------------------------------------------------------------- a claim


def verify(db, raw, key):
    name = key_name(db, key)
    try:
        body = ujson.loads(raw)
    except ValueError:
        raise Refused(400, "body is not valid JSON") from None
    if not isinstance(body, dict):
        raise Refused(400, "JSON body must be an object")
    target = body.get("reject_target", 0.98)
    rung = RUNGS.get(round(target, 2)) if isinstance(target, (int, float)) else None
    if rung is None:
        raise Refused(400, f"reject_target must be one of {sorted(RUNGS)}")
    sides, digests, measured, warnings = [], [], [], []
    for side in ("rough", "polish"):
        axis, scans, stone = read_side(body, side)
        digest, repeated = digest_of(axis, scans)
        spectra = on_reference_axis(axis, scans)
        gauge = gauges(axis, scans, spectra)
        if gauge[1] < -0.5:
            raise Refused(400, f"{side}: scan(s) do not match the noise character of directly acquired data")
        if not -0.23 <= gauge[1] <= 0.31:
            warnings.append(f"Off-manifold input: detail residual of {side} {gauge[1]:.2f}")
        if gauge[2] > 0.05:
            warnings.append(f"Locally polynomial input: {side}")
        if repeated:
            warnings.append(f"Duplicate {side} scans: {repeated}")
        sides.append((spectra, stone))
        digests.append(digest)
        measured.append(gauge)
    (rough, rough_stone), (polish, polish_stone) = sides
    vectors = encode(np.concatenate([rough, polish]), len(rough))
    cosines = {member: float(a.astype(np.float64) @ b) for member, (a, b) in vectors.items()}
    fused = sum(cosines.values()) / len(cosines)
    claim = hashlib.sha256(f"{name}|{digests[0]}|{digests[1]}|{target}".encode()).hexdigest()[:32]
    result = {
        "mode": "verify-match",
        "verdict": "MATCH" if fused > rung["threshold"] else "NO_MATCH",
        "fused_score": fused,
        "scorer": "raw",
        "member_scores": cosines,
        "member_cosines": cosines,
        "threshold": rung["threshold"],
        "threshold_source": "shipped-default",
        "reject_target": target,
        "expected_genuine_accept": rung["expected_genuine_accept"],
        "p_match_5050": float(np.interp(fused, CURVE["scores"], CURVE["probabilities"])),
        "n_rough_scans": len(rough),
        "n_polish_scans": len(polish),
        "rough_sharpness": measured[0][0],
        "polish_sharpness": measured[1][0],
        "rough_detail_residual": measured[0][1],
        "polish_detail_residual": measured[1][1],
        "warnings": warnings,
        "scope": ASSET["scope"],
        "claim_id": f"clm_{claim}",
    }
    rows = [b"".join(pair[side].tobytes() for pair in vectors.values()) for side in (0, 1)]
    db.execute(
        "INSERT OR IGNORE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (result["claim_id"], name, time.time(), *digests, rough_stone, polish_stone, ujson.dumps(result), *rows),
    )
    return result


def application():
    db = open_db()
    app = FastAPI(docs_url=None, redoc_url=None)

    @app.get("/api/v1")
    async def summary():
        return {"service": "peer of the match-verification service", "scope": ASSET["scope"]}

    @app.post("/api/v1/verify-match")
    async def verify_match(request: Request):
        raw = await request.body()
        try:
            # Some milliseconds of numpy, computed where they arrive: processes share the work, not threads.
            status, answer = 200, verify(db, raw, request.headers.get("x-api-key"))
        except Refused as refused:
            status, answer = refused.status, {"detail": refused.detail}
        return Response(ujson.dumps(answer), status, media_type="application/json")

    return app


def serve():
    """One process: its own socket on the shared port, so that the kernel deals the connections."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listening.bind(("127.0.0.1", int(os.environ.get("PORT", 8977))))
    noise_models()
    config = uvicorn.Config(application(), loop="uvloop", http="httptools", access_log=False, log_level="warning")
    uvicorn.Server(config).run([listening])


def end(children):
    for pid in children:
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    # Before there are two who would change the journal's mode at the same instant, which SQLite refuses to one of them.
    open_db().close()
    children = []
    for _ in range(PROCESSES):
        pid = os.fork()
        if pid == 0:
            serve()
            os._exit(0)
        children.append(pid)
    signal.signal(signal.SIGTERM, lambda *_: end(children))
    signal.signal(signal.SIGINT, lambda *_: end(children))
    # Half a peer is none: where one process ends, all do.
    os.wait()
    end(children)
