import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { limits } from '#config/limits';
import { fusedScore } from '#science/matching/encoder';
import { examineSide } from '#science/matching/verdict';
import { readJsonClaim } from '#science/spectra/json';
import { prepareSide } from '#science/spectra/scan-set';
import { Matcher } from '../apps/cli/matcher.js';
import { claimBody } from './claims.js';

const PYTHON = '/usr/bin/python3';
const folder = fileURLToPath(new URL('../../bench/peer', import.meta.url));
const python = (program: string, input = '') =>
  spawnSync(PYTHON, ['-c', program], {
    input,
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PEER_DB: ':memory:', PYTHONDONTWRITEBYTECODE: '1' },
  });
const present = python('import fastapi, uvicorn, numpy, uvloop, httptools, ujson').status === 0;

describe('the Python peer', () => {
  (present ? it : it.skip)('gives the score and the gauges of the service (FastAPI and numpy are there)', async () => {
    const body = claimBody()();
    const matcher = await Matcher.open();
    try {
      const claim = readJsonClaim(body, limits);
      const prepared = (['rough', 'polish'] as const).map((side) => prepareSide(claim.side(side)));
      const gauges = prepared.map((side) => examineSide(side, matcher.model).gauges);
      const [rough, polish] = await Promise.all(prepared.map((side) => matcher.measure(side)));
      const program =
        'import sys, json, serve; print(json.dumps(serve.verify(serve.open_db(), sys.stdin.read(), "peer-key")))';
      const { stdout, stderr } = python(program, String(body));
      expect(stderr).toBe('');
      const answered = JSON.parse(stdout) as Record<string, number>;
      expect(answered.fused_score).toBeCloseTo(fusedScore(rough.vectors, polish.vectors), 5);
      expect(answered.rough_sharpness).toBeCloseTo(gauges[0].sharpness, 8);
      expect(answered.rough_detail_residual).toBeCloseTo(gauges[0].detailResidual, 8);
      expect(answered.polish_detail_residual).toBeCloseTo(gauges[1].detailResidual, 8);
    } finally {
      await matcher.close();
    }
  });
});
