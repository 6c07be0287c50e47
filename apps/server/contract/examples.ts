/** Requests to each operation and its answers, shortened: written by `npm run examples` (tools/story.ts). */
import type { Example } from './samples.js';

export const EXAMPLES: Record<string, Example> = {
 "showPaths": {
  "path": "/",
  "status": 200,
  "answer": {
   "service": "match-verification",
   "contract": "/api/v1",
   "docs": "/api/v1/docs",
   "ready": "/health/ready"
  }
 },
 "showContract": {
  "path": "/api/v1",
  "status": 200,
  "answer": {
   "service": "match-verification",
   "version": "0.2.0",
   "engine": "simd",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "endpoint": "POST /api/v1/verify-match",
   "auth": "header X-Api-Key, issued by the operator",
   "scope": "Calibrated on simulated stones of the population \"calibration\", 8 cm^-1 class (resolution setting 16, atmospheric compensation on, fresh backgrounds). Thresholds hold for that population alone until an operator approves a ladder of your own. On stones of other physics, real ones included, fewer genuine claims are confirmed and more wrong ones accepted until the thresholds, and better the model, are your own. Accuracy figures describe random wrong claims, not chosen ones. NO_MATCH means that the claim is not supported; it does not show that the polish came from no rough held. p_match_5050 assumes as many true as false claims.",
   "scope_version": "9cc80796",
   "inputs": {
    "multipart": {
     "rough_files": "required, repeatable: .dpt, .csv, .txt, OPUS .0, or a .zip of these",
     "polish_files": "required, repeatable: as rough_files",
     "reject_target": "optional: one of reject_targets, default 0.98"
    },
    "json": {
     "rough": "{wavenumbers: [N], spectra: [[N], ...], stone_id?}: N at least 50, 1 to 64 spectra",
     "polish": "as rough",
     "reject_target": "optional: one of reject_targets, default 0.98"
    }
   },
   "reject_targets": [
    0.99,
    0.98,
    0.97,
    0.96,
    0.95,
    0.94
   ],
   "default_reject_target": 0.98,
   "expected_results": {
    "endpoint": "POST /api/v1/expected",
    "purpose": "label claims with their ground truth after the verdict",
    "body": "[{claim_id, expected: \"match\" | \"no_match\", stone_id?, note?}, ...] or {items: [...]}",
    "max_per_call": 5000,
    "advisory": "labels never move a threshold; only an operator does"
   },
   "experimental_reject_targets": [
    0.94,
    0.93,
    0.92,
    0.91,
    0.9
   ],
   "experimental_note": "experimental rungs are for measurement, not for quotation; each answer on one carries a warning",
   "notes": [
    "Validation is done rough side first. Retry only 408, 429, 502, 503, 504 and network failures, with backoff and not before Retry-After; whatever else is refused, a 500 too, will fail again unchanged.",
    "Send the unprocessed export, 492 to 5989 cm^-1, at least 3 rough scans (6 recommended).",
    "Decide on verdict, not on p_match_5050, which assumes as many true as false claims.",
    "NO_MATCH means that the claim is not supported, not that the polish came from no rough held.",
    "Figures rest on simulated stones. On stones of other physics, real ones included, fewer genuine claims are confirmed and more wrong ones accepted until a laboratory calibrates, and better retrains, on its own pairs.",
    "The contract in full: /api/v1/openapi.json, rendered at /api/v1/docs."
   ],
   "audit_keys": [
    {
     "id": "40111199",
     "public_key": "60cd5190a52351feca38d7ac49d766032de354376134410adb286bbe31235f00"
    }
   ]
  }
 },
 "checkLiveness": {
  "path": "/health/live",
  "status": 200,
  "answer": {
   "status": "ok"
  }
 },
 "checkReadiness": {
  "path": "/health/ready",
  "status": 200,
  "answer": {
   "status": "ok",
   "version": "0.2.0",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "engine": {
    "engine": "simd",
    "reason": "simd agrees to 7e-7 and does 2.33 GFLOP/s, the most of those that agree",
    "candidates": [
     {
      "engine": "simd",
      "outcome": "chosen",
      "reason": "simd agrees to 7e-7 and does 2.33 GFLOP/s, the most of those that agree",
      "difference": 7.152557373046875e-7,
      "gflops": 2.3250587032347036
     },
     {
      "engine": "webgpu",
      "outcome": "unavailable",
      "reason": "no WebGPU adapter was found"
     }
    ]
   },
   "parts": {
    "event_log": {
     "status": "ok"
    },
    "disk": {
     "status": "ok"
    },
    "model": {
     "status": "ok"
    },
    "scoring": {
     "status": "ok"
    },
    "views": {
     "status": "ok"
    },
    "log_check": {
     "status": "running"
    }
   }
  }
 },
 "showOperator": {
  "path": "/api/v1/operators/me",
  "status": 200,
  "answer": {
   "name": "anna",
   "scopes": [
    "operate",
    "audit",
    "metrics"
   ]
  }
 },
 "createKey": {
  "path": "/api/v1/keys",
  "body": {
   "name": "laboratory",
   "population": "antwerp"
  },
  "status": 201,
  "answer": {
   "name": "laboratory",
   "key": "mvs_live_512...",
   "note": "store the key now: it is shown this once",
   "population": "antwerp",
   "kind": "production"
  }
 },
 "verifyMatch": {
  "path": "/api/v1/verify-match",
  "form": [
   [
    "rough_files",
    "@A101_rough_1.csv"
   ],
   [
    "rough_files",
    "@A101_rough_2.csv"
   ],
   [
    "rough_files",
    "@A101_rough_3.csv"
   ],
   [
    "polish_files",
    "@A101_polish_1.csv"
   ]
  ],
  "status": 200,
  "answer": {
   "mode": "verify-match",
   "verdict": "MATCH",
   "fused_score": 0.9165038519906862,
   "scorer": "raw",
   "member_scores": {
    "first": 0.9405669295558651,
    "second": 0.8577519190066731,
    "first_varied": 0.9511927074095208
   },
   "member_cosines": {
    "first": 0.9405669295558651,
    "second": 0.8577519190066731,
    "first_varied": 0.9511927074095208
   },
   "threshold": 0.833382,
   "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
   "reject_target": 0.98,
   "expected_genuine_accept": 0.937099,
   "p_match_5050": 0.986626,
   "n_rough_scans": 3,
   "n_polish_scans": 1,
   "rough_sharpness": 0.11369183401964106,
   "polish_sharpness": 0.044516787125225825,
   "rough_detail_residual": 0.26241002419086124,
   "polish_detail_residual": 0.1751164686466801,
   "warnings": [
    "Uncalibrated population: it has no approved ladder at 0.98, so the shipped threshold is carried over and more wrong claims may pass than the rung says",
    "Unvalidated expected_genuine_accept: it is carried over from another population"
   ],
   "scope": "Calibrated on simulated stones of the population \"calibration\", 8 cm^-1 class (resolution setting 16, atmospheric compensation on, fresh backgrounds); scope 9cc80796, in full at GET /api/v1.",
   "claim_id": "clm_f1ba1e54e6f34dacadc666bf8a701fec",
   "warning_kinds": [
    "uncalibrated_population",
    "unvalidated_expected_genuine_accept"
   ],
   "shared_scans": 0,
   "action": "accept"
  }
 },
 "labelClaims": {
  "path": "/api/v1/expected",
  "body": [
   {
    "claim_id": "clm_f1ba1e54e6f34dacadc666bf8a701fec",
    "expected": "match"
   }
  ],
  "status": 200,
  "answer": {
   "results": [
    {
     "claim_id": "clm_f1ba1e54e6f34dacadc666bf8a701fec",
     "status": "accepted",
     "expected": "match",
     "verdict": "MATCH",
     "agrees": true
    }
   ],
   "counts": {
    "accepted": 1,
    "duplicate": 0,
    "amended": 0,
    "rejected": 0
   }
  }
 },
 "listKeys": {
  "path": "/api/v1/keys",
  "status": 200,
  "answer": {
   "items": [
    {
     "name": "laboratory",
     "prefix": "mvs_live_512738161b2a7913",
     "kind": "production",
     "population": "antwerp",
     "status": "active",
     "created_at": "2026-11-24T20:30:40.535Z",
     "created_by": "anna",
     "revoked_at": null,
     "revoked_by": null,
     "last_used_at": "2026-11-24T20:31:10.476Z"
    }
   ],
   "next_cursor": null
  }
 },
 "listClaims": {
  "path": "/api/v1/claims?action=review&reviewed=false",
  "status": 200,
  "answer": {
   "items": [
    {
     "status": "scored",
     "submitted_at": "2026-11-24T20:31:09.036Z",
     "claim_id": "clm_8679c215307df99561918209a9991338",
     "request_id": "01a20f41-52d5-75d2-8f13-16718c898c64",
     "transport": "multipart",
     "reject_target": 0.98,
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "shared_scans": 0,
     "key": {
      "name": "laboratory",
      "prefix": "mvs_live_512738161b2a7913",
      "kind": "production"
     },
     "population": "antwerp",
     "rough": {
      "digest": "fba7afe891bf1277",
      "scans": 3,
      "duplicates": 0,
      "short_coverage": false,
      "references": [
       "A207"
      ],
      "sharpness": 0.06770903232691693,
      "detail_residual": 0.15796006034740823,
      "detail_residual_measured": 0.15796006034740823,
      "locally_polynomial": -0.360311250101336
     },
     "polish": {
      "digest": "a9a91a7c3229527c",
      "scans": 1,
      "duplicates": 0,
      "short_coverage": false,
      "references": [
       "A207"
      ],
      "sharpness": 0.043226336279347646,
      "detail_residual": -0.14608112994775152,
      "detail_residual_measured": -0.14608112994775152,
      "locally_polynomial": -0.2186975789287342
     },
     "verdict": "NO_MATCH",
     "fused_score": 0.81372532741466,
     "scorer": "raw",
     "member_scores": {
      "first": 0.8564500364712043,
      "second": 0.8158932372676175,
      "first_varied": 0.768832708505158
     },
     "member_cosines": {
      "first": 0.8564500364712043,
      "second": 0.8158932372676175,
      "first_varied": 0.768832708505158
     },
     "threshold": 0.833382,
     "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
     "expected_genuine_accept": 0.937099,
     "p_match_5050": 0.63486,
     "warnings": [
      "Uncalibrated population: it has no approved ladder at 0.98, so the shipped threshold is carried over and more wrong claims may pass than the rung says",
      "Unvalidated expected_genuine_accept: it is carried over from another population"
     ],
     "engine": "simd",
     "latency_ms": {
      "body": 9.766,
      "wait": 0.002,
      "read": 12.817,
      "submit": 22.579,
      "score": 0.001
     },
     "scored_at": "2026-11-24T20:31:09.059Z",
     "warning_kinds": [
      "uncalibrated_population",
      "unvalidated_expected_genuine_accept"
     ],
     "action": "review",
     "repeats": 0,
     "label": null,
     "review": null,
     "findings": []
    },
    {
     "status": "scored",
     "submitted_at": "2026-11-24T20:31:07.555Z",
     "claim_id": "clm_8e07f2903da1a7c1e53f0d5c2cbc638d",
     "request_id": "01a20f41-4d1b-72ab-87cb-f0aeb390b801",
     "transport": "multipart",
     "reject_target": 0.98,
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "shared_scans": 0,
     "key": {
      "name": "laboratory",
      "prefix": "mvs_live_512738161b2a7913",
      "kind": "production"
     },
     "population": "antwerp",
     "rough": {
      "digest": "fff1a71bb525fb51",
      "scans": 3,
      "duplicates": 0,
      "short_coverage": false,
      "references": [
       "A192"
      ],
      "sharpness": 0.0586277388597619,
      "detail_residual": 0.13872140193769578,
      "detail_residual_measured": 0.13872140193769578,
      "locally_polynomial": -0.23695754580017495
     },
     "polish": {
      "digest": "97c8595964f919b3",
      "scans": 1,
      "duplicates": 0,
      "short_coverage": false,
      "references": [
       "A192"
      ],
      "sharpness": 0.050332760014350796,
      "detail_residual": -0.17361182606587808,
      "detail_residual_measured": -0.17361182606587808,
      "locally_polynomial": -0.3567784934889089
     },
     "verdict": "NO_MATCH",
     "fused_score": 0.8282714728866966,
     "scorer": "raw",
     "member_scores": {
      "first": 0.8569230249578047,
      "second": 0.8990345678483392,
      "first_varied": 0.7288568258539458
     },
     "member_cosines": {
      "first": 0.8569230249578047,
      "second": 0.8990345678483392,
      "first_varied": 0.7288568258539458
     },
     "threshold": 0.833382,
     "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
     "expected_genuine_accept": 0.937099,
     "p_match_5050": 0.776301,
     "warnings": [
      "Uncalibrated population: it has no approved ladder at 0.98, so the shipped threshold is carried over and more wrong claims may pass than the rung says",
      "Unvalidated expected_genuine_accept: it is carried over from another population"
     ],
     "engine": "simd",
     "latency_ms": {
      "body": 0.609,
      "wait": 0.001,
      "read": 6.129,
      "submit": 14.312,
      "score": 0.001
     },
     "scored_at": "2026-11-24T20:31:07.569Z",
     "warning_kinds": [
      "uncalibrated_population",
      "unvalidated_expected_genuine_accept"
     ],
     "action": "review",
     "repeats": 0,
     "label": null,
     "review": null,
     "findings": []
    }
   ],
   "next_cursor": null
  }
 },
 "listClaimRows": {
  "path": "/api/v1/claims/rows?sort=distance&reviewed=false",
  "status": 200,
  "answer": {
   "items": [
    {
     "claim_id": "clm_24ad2007b5d6a1225309af77ee1c50be",
     "status": "scored",
     "submitted_at": "2026-11-24T20:31:09.764Z",
     "key": "laboratory",
     "population": "antwerp",
     "reject_target": 0.98,
     "verdict": "MATCH",
     "fused_score": 0.835931466500309,
     "threshold": 0.833382,
     "p_match_5050": 0.785357,
     "action": "accept",
     "shared_scans": 0,
     "warnings": [
      "uncalibrated_population",
      "unvalidated_expected_genuine_accept"
     ],
     "rough": "A105",
     "polish": "A100",
     "label": null,
     "reviewed": false,
     "outcome": null,
     "findings": [
      "probing",
      "multi_pass"
     ]
    },
    {
     "claim_id": "clm_42dc035b5d36b7015aad7463894b3587",
     "status": "scored",
     "submitted_at": "2026-11-24T20:30:59.346Z",
     "key": "laboratory",
     "population": "antwerp",
     "reject_target": 0.98,
     "verdict": "MATCH",
     "fused_score": 0.8373512312448957,
     "threshold": 0.833382,
     "p_match_5050": 0.785357,
     "action": "accept",
     "shared_scans": 0,
     "warnings": [
      "uncalibrated_population",
      "unvalidated_expected_genuine_accept"
     ],
     "rough": "A115",
     "polish": "A115",
     "label": null,
     "reviewed": false,
     "outcome": null,
     "findings": []
    }
   ],
   "next_cursor": "djAuMTM3NDk4NzkzMjU2OTI4NXAyNDY"
  }
 },
 "streamClaims": {
  "path": "/api/v1/claims/stream",
  "status": 200,
  "answer": "retry: 2000\nid: 0\n\nid: 5\nevent: claim\ndata: {\"claim_id\":\"clm_2d975e88fffbb8f2c7c60e09cb2720ad\",\"status\":\"scored\",\"submitted_at\":\"2026-11-24T20:30:56.712Z\",\"key\":\"laboratory\",\"population\":\"antwerp\",\"reject_target\":0.98,\"verdict\":\"NO_MATCH\",\"fused_score\":0.8211531634767928,\"threshold\":0.833382,\"p_match_5050\":0.724022,\"action\":\"review\",\"shared_scans\":0,\"warnings\":[\"uncalibrated_population\",\"unvalidated_expected_genuine_accept\"],\"rough\":\"A100\",\"polish\":\"A100\",\"label\":null,\"reviewed\":false,\"outcome\":null,\"findings\":[\"probing\"]}"
 },
 "listDrift": {
  "path": "/api/v1/drift",
  "status": 200,
  "answer": {
   "items": [
    {
     "population": "antwerp",
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "status": "differs_from_shipped",
     "alarm": false,
     "baseline": {
      "source": "shipped",
      "reject_target": null,
      "approved_at": null,
      "claims": 10000,
      "position": "0"
     },
     "window_claims": 100,
     "windows": 1,
     "waiting": 11,
     "began": {
      "from": 5,
      "to": 401,
      "until": "2026-11-24T20:31:08.261Z",
      "claims": 100,
      "measures": [
       {
        "measure": "fused_score",
        "statistic": 6.242647973947035,
        "drifted": true,
        "baseline_median": 0.92701595,
        "window_median": 0.9112146905555877,
        "shift": -0.14801396330748576
       },
       {
        "measure": "rough_sharpness",
        "statistic": 172.62663926280572,
        "drifted": true,
        "baseline_median": 0.0509275,
        "window_median": 0.11606623418868288,
        "shift": 3.715896335990681
       }
      ]
     },
     "latest": {
      "from": 5,
      "to": 401,
      "until": "2026-11-24T20:31:08.261Z",
      "claims": 100,
      "measures": [
       {
        "measure": "fused_score",
        "statistic": 6.242647973947035,
        "drifted": true,
        "baseline_median": 0.92701595,
        "window_median": 0.9112146905555877,
        "shift": -0.14801396330748576
       },
       {
        "measure": "rough_sharpness",
        "statistic": 172.62663926280572,
        "drifted": true,
        "baseline_median": 0.0509275,
        "window_median": 0.11606623418868288,
        "shift": 3.715896335990681
       }
      ]
     },
     "limit": 6,
     "bands": [
      {
       "measure": "fused_score",
       "p05": 0.78123865,
       "p95": 0.9774889
      },
      {
       "measure": "rough_sharpness",
       "p05": 0.038077225,
       "p95": 0.09208362499999996
      }
     ],
     "history": [
      {
       "until": "2026-11-24T20:31:08.261Z",
       "claims": 100,
       "measures": [
        {
         "measure": "fused_score",
         "drifted": true,
         "window_median": 0.9112146905555877,
         "shift": -0.14801396330748576
        },
        {
         "measure": "rough_sharpness",
         "drifted": true,
         "window_median": 0.11606623418868288,
         "shift": 3.715896335990681
        }
       ]
      }
     ],
     "episodes": []
    }
   ],
   "next_cursor": null
  }
 },
 "listCalibrations": {
  "path": "/api/v1/calibration",
  "status": 200,
  "answer": {
   "items": [
    {
     "population": "antwerp",
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "scorer": null,
     "rungs": [
      {
       "reject_target": 0.99,
       "state": "uncalibrated",
       "threshold": 0.866913,
       "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
       "expected_genuine_accept": 0.873983,
       "approved_by": null,
       "requested_by": null,
       "approved_at": null,
       "reason": null,
       "evidence": null,
       "claims_held": 107,
       "claims_needed": 40,
       "awaiting_second_operator": null,
       "proposal": {
        "digest": "a4373f9d85340d9cc3c75e5487f216dfc6ef753b583229a1726bc94e12dd62bf",
        "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
        "method": "cross-pairs/1",
        "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
        "position": "463",
        "decisions": 0,
        "claims": 107,
        "roughs": 98,
        "polishes": 97,
        "pairs": 9399,
        "threshold": 0.9224126719026041,
        "interval": [
         0.91455078125,
         0.9345703125
        ],
        "wrong_per_1000": 9.89466964570699,
        "expected_genuine_accept": null,
        "expected_genuine_accept_error": null,
        "expected_genuine_accept_reason": "too uncertain",
        "proposal_digest": "a4373f9d85340d9cc3c75e5487f216dfc6ef753b583229a1726bc94e12dd62bf",
        "shipped_wrong_per_1000": 61.4
       },
       "no_proposal": null,
       "drift": {
        "alarm": false,
        "threshold_outside_interval": false,
        "interval_now": null,
        "claims_since": null,
        "status": "differs_from_shipped",
        "baseline": "shipped",
        "measures": [
         "fused_score",
         "rough_sharpness",
         "polish_sharpness",
         "rough_detail_residual",
         "polish_detail_residual"
        ]
       }
      },
      {
       "reject_target": 0.98,
       "state": "uncalibrated",
       "threshold": 0.833382,
       "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
       "expected_genuine_accept": 0.937099,
       "approved_by": null,
       "requested_by": null,
       "approved_at": null,
       "reason": null,
       "evidence": null,
       "claims_held": 107,
       "claims_needed": 75,
       "awaiting_second_operator": null,
       "proposal": {
        "digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
        "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
        "method": "cross-pairs/1",
        "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
        "position": "463",
        "decisions": 0,
        "claims": 107,
        "roughs": 98,
        "polishes": 97,
        "pairs": 9399,
        "threshold": 0.9059170348744945,
        "interval": [
         0.899261474609375,
         0.9166259765625
        ],
        "wrong_per_1000": 19.895733588679647,
        "expected_genuine_accept": null,
        "expected_genuine_accept_error": null,
        "expected_genuine_accept_reason": "too uncertain",
        "proposal_digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
        "shipped_wrong_per_1000": 113.8
       },
       "no_proposal": null,
       "drift": {
        "alarm": false,
        "threshold_outside_interval": false,
        "interval_now": null,
        "claims_since": null,
        "status": "differs_from_shipped",
        "baseline": "shipped",
        "measures": [
         "fused_score",
         "rough_sharpness",
         "polish_sharpness",
         "rough_detail_residual",
         "polish_detail_residual"
        ]
       }
      }
     ]
    }
   ],
   "next_cursor": null
  }
 },
 "listCalls": {
  "path": "/api/telemetry/events?status=400",
  "status": 200,
  "answer": {
   "items": [
    {
     "position": "464",
     "at": "2026-11-24T20:31:10.396Z",
     "tag": "verify_match",
     "request_id": "01a20f41-5827-7f80-918b-259b505d49de",
     "population": "antwerp",
     "transport": "multipart",
     "status": 400,
     "reason": "unparseable",
     "side": "rough",
     "count": 1,
     "key": {
      "name": "laboratory",
      "prefix": "mvs_live_512738161b2a7913",
      "kind": "production"
     },
     "reject_target": 0.98,
     "latency_ms": {
      "body": 0.429,
      "wait": 0.001
     },
     "polish": {
      "scans": 1,
      "sharpness": 0.07381202726361201,
      "detail_residual": 0.10362288578226471,
      "detail_residual_measured": 0.10362288578226471,
      "references": [
       "A100"
      ],
      "digest": "b68c9604ac5417ad"
     }
    }
   ],
   "next_cursor": null
  }
 },
 "listViews": {
  "path": "/api/v1/views",
  "status": 200,
  "answer": {
   "views": [
    {
     "name": "ledger",
     "version": 10,
     "position": "466",
     "caughtUp": true
    },
    {
     "name": "findings",
     "version": 7,
     "position": "466",
     "caughtUp": true
    }
   ]
  }
 },
 "showOverview": {
  "path": "/api/v1/overview",
  "status": 200,
  "answer": {
   "from": "2026-11-23T20:31:14.527Z",
   "to": "2026-11-24T20:31:14.527Z",
   "claims": {
    "calls": 123,
    "answered": 122,
    "repeats": 1,
    "refused": 1,
    "replays": 0,
    "verdicts": {
     "MATCH": 85,
     "NO_MATCH": 36
    },
    "match_share": 0.7024793388429752,
    "refusals": {
     "unparseable": 1
    },
    "whole_window": true
   },
   "reviews": {
    "total": 3,
    "total_exact": true
   },
   "findings": {
    "open": {
     "total": 2,
     "total_exact": true
    },
    "open_breaches": {
     "total": 1,
     "total_exact": true
    },
    "opened": {
     "total": 2,
     "total_exact": true
    }
   },
   "alarms": {
    "drift": [],
    "hygiene": {
     "at": null,
     "found": []
    },
    "not_obeyed": 0,
    "no_events": 0,
    "log_unsealed": false,
    "views_stopped": []
   },
   "populations": {
    "found": 1,
    "items": [
     {
      "population": "antwerp",
      "claims_held": 107,
      "ready": [
       0.99,
       0.98
      ],
      "next": null
     }
    ]
   },
   "second_approvals": {
    "found": 0,
    "items": []
   }
  }
 },
 "readHealth": {
  "path": "/health/detail",
  "status": 200,
  "answer": {
   "version": "0.2.0",
   "engine": {
    "engine": "simd",
    "reason": "simd agrees to 7e-7 and does 2.33 GFLOP/s, the most of those that agree",
    "candidates": [
     {
      "engine": "simd",
      "outcome": "chosen",
      "reason": "simd agrees to 7e-7 and does 2.33 GFLOP/s, the most of those that agree",
      "difference": 7.152557373046875e-7,
      "gflops": 2.3250587032347036
     },
     {
      "engine": "webgpu",
      "outcome": "unavailable",
      "reason": "no WebGPU adapter was found"
     }
    ]
   },
   "parts": {
    "event_log": {
     "status": "ok",
     "position": "466"
    },
    "disk": {
     "status": "ok"
    },
    "scoring": {
     "status": "ok",
     "waiting": 0,
     "active": 0,
     "workers": 2
    },
    "model": {
     "status": "ok",
     "digest": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "installed": [
      "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611"
     ]
    },
    "ladders": [
     {
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "ladder_digest": "d2c07d5d03f4a95e7bee1a0066a4670934a5b41ae73fe44f36002280aee57bde",
      "in_card": true
     },
     {
      "model": "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611",
      "ladder_digest": "47dda8e801904801b0b670dd88729daef842e6e4cdf3fe94ac4d8d913cfe9e3c",
      "in_card": true
     }
    ],
    "views": [
     {
      "name": "ledger",
      "version": 10,
      "position": "466",
      "caughtUp": true
     },
     {
      "name": "findings",
      "version": 7,
      "position": "466",
      "caughtUp": true
     }
    ],
    "log_seal": {
     "status": "sealed",
     "unsealed_to": "0",
     "secrets": [
      "40111199"
     ],
     "taken": null,
     "no_events": 0,
     "no_event_rows": []
    },
    "log_check": {
     "status": "sound",
     "checked": "1",
     "head": "1",
     "damaged": 0,
     "damage": []
    },
    "calibration": {
     "models_not_installed": [],
     "not_obeyed": 0,
     "not_obeyed_events": []
    }
   }
  }
 },
 "readMetrics": {
  "path": "/metrics",
  "status": 200,
  "answer": "# HELP process_cpu_user_seconds_total Total user CPU time spent in seconds.\n# TYPE process_cpu_user_seconds_total counter\nprocess_cpu_user_seconds_total 10.523602\n\n# HELP process_cpu_system_seconds_total Total system CPU time spent in seconds.\n# TYPE process_cpu_system_seconds_total counter"
 },
 "checkHygiene": {
  "path": "/api/v1/hygiene",
  "status": 200,
  "answer": {
   "at": "2026-11-24T20:31:14.779Z",
   "checks": [
    {
     "check": "panel_on_a_production_key",
     "meaning": "a production key probed a panel of roughs with one polish: the published rates hold only where no production key does",
     "advice": "look at the finding and review it with a note; have trials made with a test key",
     "status": "attention",
     "found": 1,
     "items": [
      {
       "key": "laboratory",
       "population": "antwerp",
       "finding": "fnd_d4108d42862f3bd8a8ca9686da3cab6f",
       "roughs": 12
      }
     ]
    },
    {
     "check": "sharpness_outside_band",
     "meaning": "the median sharpness of a key's latest claims is outside 0.04 to 0.065: its machine resolves or samples otherwise than it did",
     "advice": "check resolution setting (16), apodisation and alignment of that machine; look at drift before trusting its verdicts",
     "status": "attention",
     "found": 1,
     "items": [
      {
       "key": "laboratory",
       "population": "antwerp",
       "claims": 100,
       "median": 0.11499635317852047,
       "side": "rough"
      }
     ]
    }
   ]
  }
 },
 "summariseCalls": {
  "path": "/api/telemetry/summary?population=antwerp",
  "status": 200,
  "answer": {
   "population": "antwerp",
   "from": "2026-11-23T20:31:17.463Z",
   "to": "2026-11-24T20:31:17.463Z",
   "calls": 123,
   "repeats": 1,
   "by_status": {
    "200": 122,
    "400": 1
   },
   "by_reason": {
    "unparseable": 1
   },
   "verdicts": {
    "MATCH": 85,
    "NO_MATCH": 36
   },
   "warnings": {
    "off_manifold": 14,
    "uncalibrated_population": 121,
    "unvalidated_expected_genuine_accept": 121
   },
   "rough_scans": {
    "3": 121
   },
   "polish_scans": {
    "1": 121
   },
   "latency_ms": {
    "body": {
     "count": 122,
     "least": 0.401,
     "p05": 0.438,
     "p50": 0.621,
     "p95": 29.242,
     "p99": 80.643,
     "most": 135.799
    },
    "read": {
     "count": 122,
     "least": 3.559,
     "p05": 6.129,
     "p50": 16.497,
     "p95": 34.494,
     "p99": 80.683,
     "most": 950.398
    },
    "score": {
     "count": 121,
     "least": 0.001,
     "p05": 0.001,
     "p50": 0.001,
     "p95": 0.002,
     "p99": 2.321,
     "most": 27.996
    },
    "submit": {
     "count": 122,
     "least": 2.695,
     "p05": 6.248,
     "p50": 15.813,
     "p95": 31.409,
     "p99": 72.563,
     "most": 126.615
    },
    "wait": {
     "count": 122,
     "least": 0.001,
     "p05": 0.001,
     "p50": 0.001,
     "p95": 0.004,
     "p99": 0.181,
     "most": 19.588
    }
   },
   "quantiles": {
    "score": {
     "count": 121,
     "least": 0.23407525624992268,
     "p05": 0.4836872491025748,
     "p50": 0.9000208927521666,
     "p95": 0.9713853054628223,
     "p99": 0.9812035878421758,
     "most": 0.9876620218897169
    },
    "rough_sharpness": {
     "count": 121,
     "least": 0.043348191049574616,
     "p05": 0.058222932677477114,
     "p50": 0.11539909295705048,
     "p95": 0.15649573180512236,
     "p99": 0.1651292379240844,
     "most": 0.16584620811392375
    },
    "polish_sharpness": {
     "count": 121,
     "least": 0.03837305336388635,
     "p05": 0.041592669796259966,
     "p50": 0.05518463137949736,
     "p95": 0.1097717908734694,
     "p99": 0.15989992919526344,
     "most": 0.16074510291077942
    },
    "rough_detail_residual": {
     "count": 121,
     "least": 0.03303434633697688,
     "p05": 0.09474651956875055,
     "p50": 0.2018036481255746,
     "p95": 0.30360516668996906,
     "p99": 0.32400074381124266,
     "most": 0.33281376231997184
    },
    "polish_detail_residual": {
     "count": 121,
     "least": -0.18872784202255313,
     "p05": -0.07934101276637928,
     "p50": 0.11877830461287393,
     "p95": 0.3205507473668663,
     "p99": 0.36011170918273033,
     "most": 0.36136014767958663
    }
   },
   "quantiles_over": 122,
   "replay": {
    "calls": 0,
    "repeats": 0,
    "by_status": {},
    "by_reason": {},
    "verdicts": {},
    "warnings": {},
    "rough_scans": {},
    "polish_scans": {},
    "latency_ms": {},
    "quantiles": {
     "score": {
      "count": 0
     },
     "rough_sharpness": {
      "count": 0
     },
     "polish_sharpness": {
      "count": 0
     },
     "rough_detail_residual": {
      "count": 0
     },
     "polish_detail_residual": {
      "count": 0
     }
    },
    "quantiles_over": 0
   },
   "findings": [
    {
     "kind": "multi_pass",
     "key_kind": "production",
     "population": "antwerp",
     "key": "laboratory",
     "key_prefix": "mvs_live_512738161b2a7913",
     "findings": 1,
     "open": 1,
     "breaches": 0
    },
    {
     "kind": "probing",
     "key_kind": "production",
     "population": "antwerp",
     "key": "laboratory",
     "key_prefix": "mvs_live_512738161b2a7913",
     "findings": 1,
     "open": 1,
     "breaches": 1
    }
   ],
   "label_agreement": [
    {
     "reject_target": 0.98,
     "labelled": 1,
     "true_accept": 1,
     "false_accept": 0,
     "true_reject": 0,
     "false_reject": 0,
     "confirmed_right": 1,
     "confirmed_wrong": 0,
     "rejected_right": 0,
     "rejected_wrong": 0
    }
   ],
   "lots": {
    "workspaces": {
     "created": 0,
     "revoked": 0
    },
    "enrolled": 0,
    "checked": 0,
    "rehearsed": 0,
    "stones": {
     "enrolled": 0,
     "confirmed": 0,
     "not_confirmed": 0
    }
   },
   "drift": [],
   "gauge_bands": [
    {
     "gauge": "sharpness",
     "refused_below": null,
     "low": 0.04,
     "high": 0.065
    },
    {
     "gauge": "detail_residual",
     "refused_below": -0.5,
     "low": -0.23,
     "high": 0.31
    }
   ],
   "queue": {
    "waiting": 0,
    "active": 0,
    "workers": [
     {
      "id": "thread-1",
      "engine": "simd",
      "models": [
       "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
       "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611"
      ]
     },
     {
      "id": "thread-2",
      "engine": "simd",
      "models": [
       "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
       "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611"
      ]
     }
    ]
   }
  }
 },
 "getClaim": {
  "path": "/api/v1/claims/clm_f1ba1e54e6f34dacadc666bf8a701fec",
  "status": 200,
  "answer": {
   "status": "scored",
   "submitted_at": "2026-11-24T20:30:57.099Z",
   "claim_id": "clm_f1ba1e54e6f34dacadc666bf8a701fec",
   "request_id": "01a20f41-240e-7065-a00e-a6ca67403b77",
   "transport": "multipart",
   "reject_target": 0.98,
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "shared_scans": 0,
   "key": {
    "name": "laboratory",
    "prefix": "mvs_live_512738161b2a7913",
    "kind": "production"
   },
   "population": "antwerp",
   "rough": {
    "digest": "6984e66fd9facb1f",
    "scans": 3,
    "duplicates": 0,
    "short_coverage": false,
    "references": [
     "A101"
    ],
    "sharpness": 0.11369183401964106,
    "detail_residual": 0.26241002419086124,
    "detail_residual_measured": 0.26241002419086124,
    "locally_polynomial": -0.36812964787543173
   },
   "polish": {
    "digest": "de6d1a53022d308c",
    "scans": 1,
    "duplicates": 0,
    "short_coverage": false,
    "references": [
     "A101"
    ],
    "sharpness": 0.044516787125225825,
    "detail_residual": 0.1751164686466801,
    "detail_residual_measured": 0.1751164686466801,
    "locally_polynomial": -0.2310172193229723
   },
   "verdict": "MATCH",
   "fused_score": 0.9165038519906862,
   "scorer": "raw",
   "member_scores": {
    "first": 0.9405669295558651,
    "second": 0.8577519190066731,
    "first_varied": 0.9511927074095208
   },
   "member_cosines": {
    "first": 0.9405669295558651,
    "second": 0.8577519190066731,
    "first_varied": 0.9511927074095208
   },
   "threshold": 0.833382,
   "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
   "expected_genuine_accept": 0.937099,
   "p_match_5050": 0.986626,
   "warnings": [
    "Uncalibrated population: it has no approved ladder at 0.98, so the shipped threshold is carried over and more wrong claims may pass than the rung says",
    "Unvalidated expected_genuine_accept: it is carried over from another population"
   ],
   "engine": "simd",
   "latency_ms": {
    "body": 1.223,
    "wait": 0.001,
    "read": 34.494,
    "submit": 7.692,
    "score": 27.996
   },
   "scored_at": "2026-11-24T20:30:57.136Z",
   "warning_kinds": [
    "uncalibrated_population",
    "unvalidated_expected_genuine_accept"
   ],
   "action": "accept",
   "repeats": 1,
   "label": {
    "agrees": true,
    "expected": "match",
    "request_id": "01a20f41-58cc-76d9-895c-18660158e93b",
    "at": "2026-11-24T20:31:10.559Z"
   },
   "review": null,
   "findings": [],
   "history": [
    {
     "type": "ClaimSubmitted",
     "version": 2,
     "position": "6",
     "recorded_at": "2026-11-24T20:30:57.100Z",
     "data": {
      "claim_id": "clm_f1ba1e54e6f34dacadc666bf8a701fec",
      "request_id": "01a20f41-240e-7065-a00e-a6ca67403b77",
      "key": {
       "id": "512738161b2a7913",
       "name": "laboratory",
       "kind": "production",
       "population": "antwerp"
      },
      "transport": "multipart",
      "reject_target": 0.98,
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "ladder_revision": "shipped",
      "ladder_digest": "d2c07d5d03f4a95e7bee1a0066a4670934a5b41ae73fe44f36002280aee57bde",
      "rough": {
       "digest": "6984e66fd9facb1f",
       "scans": 3,
       "duplicates": 0,
       "short_coverage": false,
       "references": [
        "A101"
       ],
       "sharpness": 0.11369183401964106,
       "detail_residual": 0.26241002419086124,
       "detail_residual_measured": 0.26241002419086124,
       "locally_polynomial": -0.36812964787543173
      },
      "polish": {
       "digest": "de6d1a53022d308c",
       "scans": 1,
       "duplicates": 0,
       "short_coverage": false,
       "references": [
        "A101"
       ],
       "sharpness": 0.044516787125225825,
       "detail_residual": 0.1751164686466801,
       "detail_residual_measured": 0.1751164686466801,
       "locally_polynomial": -0.2310172193229723
      },
      "shared_scans": 0,
      "at": "2026-11-24T20:30:57.099Z"
     }
    },
    {
     "type": "ClaimScored",
     "version": 1,
     "position": "9",
     "recorded_at": "2026-11-24T20:30:57.155Z",
     "data": {
      "claim_id": "clm_f1ba1e54e6f34dacadc666bf8a701fec",
      "request_id": "01a20f41-240e-7065-a00e-a6ca67403b77",
      "result": {
       "mode": "verify-match",
       "verdict": "MATCH",
       "fused_score": 0.9165038519906862,
       "scorer": "raw",
       "member_scores": {
        "first": 0.9405669295558651,
        "second": 0.8577519190066731,
        "first_varied": 0.9511927074095208
       },
       "member_cosines": {
        "first": 0.9405669295558651,
        "second": 0.8577519190066731,
        "first_varied": 0.9511927074095208
       },
       "threshold": 0.833382,
       "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
       "reject_target": 0.98,
       "expected_genuine_accept": 0.937099,
       "p_match_5050": 0.986626,
       "n_rough_scans": 3,
       "n_polish_scans": 1,
       "rough_sharpness": 0.11369183401964106,
       "polish_sharpness": 0.044516787125225825,
       "rough_detail_residual": 0.26241002419086124,
       "polish_detail_residual": 0.1751164686466801,
       "warnings": [
        "Uncalibrated population: it has no approved ladder at 0.98, so the shipped threshold is carried over and more wrong claims may pass than the rung says",
        "Unvalidated expected_genuine_accept: it is carried over from another population"
       ],
       "scope": "Calibrated on simulated stones of the population \"calibration\", 8 cm^-1 class (resolution setting 16, atmospheric compensation on, fresh backgrounds); scope 9cc80796, in full at GET /api/v1.",
       "claim_id": "clm_f1ba1e54e6f34dacadc666bf8a701fec"
      },
      "engine": "simd",
      "latency_ms": {
       "body": 1.223,
       "wait": 0.001,
       "read": 34.494,
       "submit": 7.692,
       "score": 27.996
      },
      "at": "2026-11-24T20:30:57.136Z"
     }
    }
   ],
   "gauge_bands": [
    {
     "gauge": "sharpness",
     "refused_below": null,
     "low": 0.04,
     "high": 0.065
    },
    {
     "gauge": "detail_residual",
     "refused_below": -0.5,
     "low": -0.23,
     "high": 0.31
    }
   ],
   "looked_at_by": []
  }
 },
 "reviewClaim": {
  "path": "/api/v1/claims/clm_2d975e88fffbb8f2c7c60e09cb2720ad/review",
  "body": {
   "note": "measured again: the same stone",
   "outcome": "wrong"
  },
  "status": 200,
  "answer": {
   "status": "scored",
   "submitted_at": "2026-11-24T20:30:56.712Z",
   "claim_id": "clm_2d975e88fffbb8f2c7c60e09cb2720ad",
   "request_id": "01a20f41-1ef5-77ae-a407-1948bbd9566e",
   "transport": "multipart",
   "reject_target": 0.98,
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "shared_scans": 0,
   "key": {
    "name": "laboratory",
    "prefix": "mvs_live_512738161b2a7913",
    "kind": "production"
   },
   "population": "antwerp",
   "rough": {
    "digest": "4edea1ce07059278",
    "scans": 3,
    "duplicates": 0,
    "short_coverage": false,
    "references": [
     "A100"
    ],
    "sharpness": 0.10208702406011172,
    "detail_residual": 0.2530646211295471,
    "detail_residual_measured": 0.2530646211295471,
    "locally_polynomial": -0.29157152116291624
   },
   "polish": {
    "digest": "b68c9604ac5417ad",
    "scans": 1,
    "duplicates": 0,
    "short_coverage": false,
    "references": [
     "A100"
    ],
    "sharpness": 0.07381202726361201,
    "detail_residual": 0.10362288578226471,
    "detail_residual_measured": 0.10362288578226471,
    "locally_polynomial": -0.35923857659464464
   },
   "verdict": "NO_MATCH",
   "fused_score": 0.8211531634767928,
   "scorer": "raw",
   "member_scores": {
    "first": 0.8520674295234951,
    "second": 0.8591606334453296,
    "first_varied": 0.7522314274615537
   },
   "member_cosines": {
    "first": 0.8520674295234951,
    "second": 0.8591606334453296,
    "first_varied": 0.7522314274615537
   },
   "threshold": 0.833382,
   "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
   "expected_genuine_accept": 0.937099,
   "p_match_5050": 0.724022,
   "warnings": [
    "Uncalibrated population: it has no approved ladder at 0.98, so the shipped threshold is carried over and more wrong claims may pass than the rung says",
    "Unvalidated expected_genuine_accept: it is carried over from another population"
   ],
   "engine": "simd",
   "latency_ms": {
    "body": 12.117,
    "wait": 0.003,
    "read": 950.398,
    "submit": 72.563,
    "score": 0.002
   },
   "scored_at": "2026-11-24T20:30:56.800Z",
   "warning_kinds": [
    "uncalibrated_population",
    "unvalidated_expected_genuine_accept"
   ],
   "action": "review",
   "repeats": 0,
   "label": null,
   "review": {
    "note": "measured again: the same stone",
    "outcome": "wrong",
    "operator": "anna",
    "at": "2026-11-24T20:31:17.582Z"
   },
   "findings": [
    "probing"
   ]
  }
 },
 "listFindings": {
  "path": "/api/v1/findings?status=open",
  "status": 200,
  "answer": {
   "items": [
    {
     "id": "fnd_f4161cfc93687bf342a80b50e1839ad5",
     "kind": "multi_pass",
     "status": "open",
     "key": {
      "name": "laboratory",
      "prefix": "mvs_live_512738161b2a7913",
      "kind": "production"
     },
     "keys": [
      {
       "name": "laboratory",
       "prefix": "mvs_live_512738161b2a7913",
       "kind": "production"
      }
     ],
     "population": "antwerp",
     "evidence": [
      {
       "by": "key",
       "keys": [
        "laboratory"
       ],
       "roughs": 2,
       "claims": 2
      }
     ],
     "breach": null,
     "rule": "same_scans",
     "cosine": null,
     "polish": {
      "digests": [
       "b68c9604ac5417ad"
      ],
      "references": [
       "A100"
      ]
     },
     "roughs": 2,
     "claims_total": 2,
     "claims": [
      {
       "claim_id": "clm_f3493f042ce908fbe75c3128b61d1c7b",
       "submitted_at": "2026-11-24T20:31:09.857Z",
       "reject_target": 0.98,
       "verdict": "MATCH",
       "fused_score": 0.8940077343171633,
       "label": null,
       "rough": {
        "digest": "bfef754f2b242aad",
        "references": [
         "A106"
        ]
       },
       "polish": {
        "digest": "b68c9604ac5417ad",
        "references": [
         "A100"
        ]
       }
      },
      {
       "claim_id": "clm_24ad2007b5d6a1225309af77ee1c50be",
       "submitted_at": "2026-11-24T20:31:09.764Z",
       "reject_target": 0.98,
       "verdict": "MATCH",
       "fused_score": 0.835931466500309,
       "label": null,
       "rough": {
        "digest": "56ddb924a28422f9",
        "references": [
         "A105"
        ]
       },
       "polish": {
        "digest": "b68c9604ac5417ad",
        "references": [
         "A100"
        ]
       }
      }
     ],
     "opened_at": "2026-11-24T20:31:09.876Z",
     "last_claim_at": "2026-11-24T20:31:09.876Z",
     "review": null
    },
    {
     "id": "fnd_d4108d42862f3bd8a8ca9686da3cab6f",
     "kind": "probing",
     "status": "open",
     "key": {
      "name": "laboratory",
      "prefix": "mvs_live_512738161b2a7913",
      "kind": "production"
     },
     "keys": [
      {
       "name": "laboratory",
       "prefix": "mvs_live_512738161b2a7913",
       "kind": "production"
      }
     ],
     "population": "antwerp",
     "evidence": [
      {
       "by": "key",
       "keys": [
        "laboratory"
       ],
       "roughs": 12,
       "claims": 12
      }
     ],
     "breach": "key laboratory probed a panel of 12 roughs with one polish: the published rates hold only where no production key does; use a test key for trials",
     "rule": "same_scans",
     "cosine": null,
     "polish": {
      "digests": [
       "b68c9604ac5417ad"
      ],
      "references": [
       "A100"
      ]
     },
     "roughs": 12,
     "claims_total": 12,
     "claims": [
      {
       "claim_id": "clm_e15e1e999593c9214852d8ec234503d0",
       "submitted_at": "2026-11-24T20:31:10.314Z",
       "reject_target": 0.98,
       "verdict": "NO_MATCH",
       "fused_score": 0.651474392882748,
       "label": null,
       "rough": {
        "digest": "cd815e1b19fef456",
        "references": [
         "A111"
        ]
       },
       "polish": {
        "digest": "b68c9604ac5417ad",
        "references": [
         "A100"
        ]
       }
      },
      {
       "claim_id": "clm_9e734106018cb09c55f5957d3ad59ad5",
       "submitted_at": "2026-11-24T20:31:10.221Z",
       "reject_target": 0.98,
       "verdict": "NO_MATCH",
       "fused_score": 0.25979265062411183,
       "label": null,
       "rough": {
        "digest": "d2e3cca5e9e435d4",
        "references": [
         "A110"
        ]
       },
       "polish": {
        "digest": "b68c9604ac5417ad",
        "references": [
         "A100"
        ]
       }
      }
     ],
     "opened_at": "2026-11-24T20:31:09.360Z",
     "last_claim_at": "2026-11-24T20:31:10.317Z",
     "review": null
    }
   ],
   "next_cursor": null
  }
 },
 "getFinding": {
  "path": "/api/v1/findings/fnd_f4161cfc93687bf342a80b50e1839ad5",
  "status": 200,
  "answer": {
   "id": "fnd_f4161cfc93687bf342a80b50e1839ad5",
   "kind": "multi_pass",
   "status": "open",
   "key": {
    "name": "laboratory",
    "prefix": "mvs_live_512738161b2a7913",
    "kind": "production"
   },
   "keys": [
    {
     "name": "laboratory",
     "prefix": "mvs_live_512738161b2a7913",
     "kind": "production"
    }
   ],
   "population": "antwerp",
   "evidence": [
    {
     "by": "key",
     "keys": [
      "laboratory"
     ],
     "roughs": 2,
     "claims": 2
    }
   ],
   "breach": null,
   "rule": "same_scans",
   "cosine": null,
   "polish": {
    "digests": [
     "b68c9604ac5417ad"
    ],
    "references": [
     "A100"
    ]
   },
   "roughs": 2,
   "claims_total": 2,
   "claims": [
    {
     "claim_id": "clm_f3493f042ce908fbe75c3128b61d1c7b",
     "submitted_at": "2026-11-24T20:31:09.857Z",
     "reject_target": 0.98,
     "verdict": "MATCH",
     "fused_score": 0.8940077343171633,
     "label": null,
     "rough": {
      "digest": "bfef754f2b242aad",
      "references": [
       "A106"
      ]
     },
     "polish": {
      "digest": "b68c9604ac5417ad",
      "references": [
       "A100"
      ]
     }
    },
    {
     "claim_id": "clm_24ad2007b5d6a1225309af77ee1c50be",
     "submitted_at": "2026-11-24T20:31:09.764Z",
     "reject_target": 0.98,
     "verdict": "MATCH",
     "fused_score": 0.835931466500309,
     "label": null,
     "rough": {
      "digest": "56ddb924a28422f9",
      "references": [
       "A105"
      ]
     },
     "polish": {
      "digest": "b68c9604ac5417ad",
      "references": [
       "A100"
      ]
     }
    }
   ],
   "opened_at": "2026-11-24T20:31:09.876Z",
   "last_claim_at": "2026-11-24T20:31:09.876Z",
   "review": null,
   "looked_at_by": []
  }
 },
 "reviewFinding": {
  "path": "/api/v1/findings/fnd_f4161cfc93687bf342a80b50e1839ad5/review",
  "body": {
   "note": "two roughs of one parcel were mixed up",
   "outcome": "explained"
  },
  "status": 200,
  "answer": {
   "id": "fnd_f4161cfc93687bf342a80b50e1839ad5",
   "kind": "multi_pass",
   "status": "reviewed",
   "key": {
    "name": "laboratory",
    "prefix": "mvs_live_512738161b2a7913",
    "kind": "production"
   },
   "keys": [
    {
     "name": "laboratory",
     "prefix": "mvs_live_512738161b2a7913",
     "kind": "production"
    }
   ],
   "population": "antwerp",
   "evidence": [
    {
     "by": "key",
     "keys": [
      "laboratory"
     ],
     "roughs": 2,
     "claims": 2
    }
   ],
   "breach": null,
   "rule": "same_scans",
   "cosine": null,
   "polish": {
    "digests": [
     "b68c9604ac5417ad"
    ],
    "references": [
     "A100"
    ]
   },
   "roughs": 2,
   "claims_total": 2,
   "claims": [
    {
     "claim_id": "clm_f3493f042ce908fbe75c3128b61d1c7b",
     "submitted_at": "2026-11-24T20:31:09.857Z",
     "reject_target": 0.98,
     "verdict": "MATCH",
     "fused_score": 0.8940077343171633,
     "label": null,
     "rough": {
      "digest": "bfef754f2b242aad",
      "references": [
       "A106"
      ]
     },
     "polish": {
      "digest": "b68c9604ac5417ad",
      "references": [
       "A100"
      ]
     }
    },
    {
     "claim_id": "clm_24ad2007b5d6a1225309af77ee1c50be",
     "submitted_at": "2026-11-24T20:31:09.764Z",
     "reject_target": 0.98,
     "verdict": "MATCH",
     "fused_score": 0.835931466500309,
     "label": null,
     "rough": {
      "digest": "56ddb924a28422f9",
      "references": [
       "A105"
      ]
     },
     "polish": {
      "digest": "b68c9604ac5417ad",
      "references": [
       "A100"
      ]
     }
    }
   ],
   "opened_at": "2026-11-24T20:31:09.876Z",
   "last_claim_at": "2026-11-24T20:31:09.876Z",
   "review": {
    "note": "two roughs of one parcel were mixed up",
    "outcome": "explained",
    "operator": "anna",
    "at": "2026-11-24T20:31:17.735Z"
   }
  }
 },
 "getCalibration": {
  "path": "/api/v1/calibration/antwerp",
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": null,
   "rungs": [
    {
     "reject_target": 0.99,
     "state": "uncalibrated",
     "threshold": 0.866913,
     "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
     "expected_genuine_accept": 0.873983,
     "approved_by": null,
     "requested_by": null,
     "approved_at": null,
     "reason": null,
     "evidence": null,
     "claims_held": 107,
     "claims_needed": 40,
     "awaiting_second_operator": null,
     "proposal": {
      "digest": "a4373f9d85340d9cc3c75e5487f216dfc6ef753b583229a1726bc94e12dd62bf",
      "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
      "method": "cross-pairs/1",
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "position": "463",
      "decisions": 0,
      "claims": 107,
      "roughs": 98,
      "polishes": 97,
      "pairs": 9399,
      "threshold": 0.9224126719026041,
      "interval": [
       0.91455078125,
       0.9345703125
      ],
      "wrong_per_1000": 9.89466964570699,
      "expected_genuine_accept": null,
      "expected_genuine_accept_error": null,
      "expected_genuine_accept_reason": "too uncertain",
      "proposal_digest": "a4373f9d85340d9cc3c75e5487f216dfc6ef753b583229a1726bc94e12dd62bf",
      "shipped_wrong_per_1000": 61.4
     },
     "no_proposal": null,
     "drift": {
      "alarm": false,
      "threshold_outside_interval": false,
      "interval_now": null,
      "claims_since": null,
      "status": "differs_from_shipped",
      "baseline": "shipped",
      "measures": [
       "fused_score",
       "rough_sharpness",
       "polish_sharpness",
       "rough_detail_residual",
       "polish_detail_residual"
      ]
     }
    },
    {
     "reject_target": 0.98,
     "state": "uncalibrated",
     "threshold": 0.833382,
     "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
     "expected_genuine_accept": 0.937099,
     "approved_by": null,
     "requested_by": null,
     "approved_at": null,
     "reason": null,
     "evidence": null,
     "claims_held": 107,
     "claims_needed": 75,
     "awaiting_second_operator": null,
     "proposal": {
      "digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
      "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
      "method": "cross-pairs/1",
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "position": "463",
      "decisions": 0,
      "claims": 107,
      "roughs": 98,
      "polishes": 97,
      "pairs": 9399,
      "threshold": 0.9059170348744945,
      "interval": [
       0.899261474609375,
       0.9166259765625
      ],
      "wrong_per_1000": 19.895733588679647,
      "expected_genuine_accept": null,
      "expected_genuine_accept_error": null,
      "expected_genuine_accept_reason": "too uncertain",
      "proposal_digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
      "shipped_wrong_per_1000": 113.8
     },
     "no_proposal": null,
     "drift": {
      "alarm": false,
      "threshold_outside_interval": false,
      "interval_now": null,
      "claims_since": null,
      "status": "differs_from_shipped",
      "baseline": "shipped",
      "measures": [
       "fused_score",
       "rough_sharpness",
       "polish_sharpness",
       "rough_detail_residual",
       "polish_detail_residual"
      ]
     }
    }
   ]
  }
 },
 "getCalibrationScores": {
  "path": "/api/v1/calibration/antwerp/scores",
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": null,
   "claims": 107,
   "pairs": 9399,
   "reason": null,
   "from": 0,
   "width": 0.0078125,
   "genuine": [
    0,
    0,
    0,
    0,
    0,
    0
   ],
   "labelled_no_match": [
    0,
    0,
    0,
    0,
    0,
    0
   ],
   "wrong": [
    1,
    0,
    3,
    1,
    2,
    2
   ],
   "rungs": [
    {
     "reject_target": 0.99,
     "threshold": 0.866913,
     "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
     "measured": 0.9224126719026041
    },
    {
     "reject_target": 0.98,
     "threshold": 0.833382,
     "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
     "measured": 0.9059170348744945
    }
   ]
  }
 },
 "tryThreshold": {
  "path": "/api/v1/calibration/antwerp/rungs/0.98/dry-run",
  "body": {},
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "reject_target": 0.98,
   "claims": 107,
   "threshold": 0.833382,
   "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
   "tried_threshold": 0.9059170348744945,
   "proposal_digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
   "to_match": {
    "total": 0,
    "labelled_match": 0,
    "labelled_no_match": 0,
    "unlabelled": 0,
    "claims": []
   },
   "to_no_match": {
    "total": 24,
    "labelled_match": 0,
    "labelled_no_match": 0,
    "unlabelled": 24,
    "claims": [
     {
      "claim_id": "clm_24ad2007b5d6a1225309af77ee1c50be",
      "fused_score": 0.835931466500309,
      "at": "2026-11-24T20:31:09.784Z",
      "label": null,
      "before": "MATCH",
      "after": "NO_MATCH"
     },
     {
      "claim_id": "clm_42dc035b5d36b7015aad7463894b3587",
      "fused_score": 0.8373512312448957,
      "at": "2026-11-24T20:30:59.371Z",
      "label": null,
      "before": "MATCH",
      "after": "NO_MATCH"
     }
    ]
   }
  }
 },
 "approveThreshold": {
  "path": "/api/v1/calibration/antwerp/rungs/0.98/approve",
  "body": {
   "reason": "enough claims",
   "proposal_digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d"
  },
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": null,
   "reject_target": 0.98,
   "state": "calibrated",
   "threshold": 0.9059170348744945,
   "threshold_source": "population-calibrated: 107 claims, 98 roughs, approved 2026-11-24",
   "expected_genuine_accept": null,
   "approved_by": "anna",
   "requested_by": null,
   "approved_at": "2026-11-24T20:31:17.917Z",
   "reason": "enough claims",
   "evidence": {
    "digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
    "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
    "method": "cross-pairs/1",
    "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
    "position": "463",
    "decisions": 0,
    "claims": 107,
    "roughs": 98,
    "polishes": 97,
    "pairs": 9399,
    "threshold": 0.9059170348744945,
    "interval": [
     0.899261474609375,
     0.9166259765625
    ],
    "wrong_per_1000": 19.895733588679647,
    "expected_genuine_accept": null,
    "expected_genuine_accept_error": null,
    "expected_genuine_accept_reason": "too uncertain"
   },
   "claims_held": 107,
   "claims_needed": 75,
   "awaiting_second_operator": null,
   "proposal": {
    "digest": "5a5bbbdfdd1f54528f0f1da8d6dcae16a5d4cb73c8ead6df0e1777bd17d4486e",
    "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
    "method": "cross-pairs/1",
    "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
    "position": "463",
    "decisions": 1,
    "claims": 107,
    "roughs": 98,
    "polishes": 97,
    "pairs": 9399,
    "threshold": 0.9059170348744945,
    "interval": [
     0.899261474609375,
     0.9166259765625
    ],
    "wrong_per_1000": 19.895733588679647,
    "expected_genuine_accept": null,
    "expected_genuine_accept_error": null,
    "expected_genuine_accept_reason": "too uncertain",
    "proposal_digest": "5a5bbbdfdd1f54528f0f1da8d6dcae16a5d4cb73c8ead6df0e1777bd17d4486e",
    "shipped_wrong_per_1000": 113.8
   },
   "no_proposal": null,
   "drift": {
    "alarm": false,
    "threshold_outside_interval": false,
    "interval_now": [
     0.899261474609375,
     0.9166259765625
    ],
    "claims_since": 0,
    "status": null,
    "baseline": null,
    "measures": []
   }
  }
 },
 "getCalibrationHistory": {
  "path": "/api/v1/calibration/antwerp/history",
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": null,
   "as_of": "2026-11-24T20:31:18.019Z",
   "rungs": [
    {
     "reject_target": 0.99,
     "state": "uncalibrated",
     "threshold": 0.866913,
     "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
     "expected_genuine_accept": 0.873983,
     "approved_by": null,
     "requested_by": null,
     "approved_at": null,
     "reason": null,
     "evidence": null
    },
    {
     "reject_target": 0.98,
     "state": "calibrated",
     "threshold": 0.9059170348744945,
     "threshold_source": "population-calibrated: 107 claims, 98 roughs, approved 2026-11-24",
     "expected_genuine_accept": null,
     "approved_by": "anna",
     "requested_by": null,
     "approved_at": "2026-11-24T20:31:17.917Z",
     "reason": "enough claims",
     "evidence": {
      "digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
      "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
      "method": "cross-pairs/1",
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "position": "463",
      "decisions": 0,
      "claims": 107,
      "roughs": 98,
      "polishes": 97,
      "pairs": 9399,
      "threshold": 0.9059170348744945,
      "interval": [
       0.899261474609375,
       0.9166259765625
      ],
      "wrong_per_1000": 19.895733588679647,
      "expected_genuine_accept": null,
      "expected_genuine_accept_error": null,
      "expected_genuine_accept_reason": "too uncertain"
     }
    }
   ],
   "items": [
    {
     "event": "RungApproved",
     "revision": 0,
     "reject_target": 0.98,
     "scorer": null,
     "operator": "anna",
     "reason": "enough claims",
     "at": "2026-11-24T20:31:17.917Z",
     "chain": "610df03b81f3b03a3b2428ddcfa6d5368508bcee10b4c1bd15962653927cde2c",
     "proposal": {
      "digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
      "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
      "method": "cross-pairs/1",
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "position": "463",
      "decisions": 0,
      "claims": 107,
      "roughs": 98,
      "polishes": 97,
      "pairs": 9399,
      "threshold": 0.9059170348744945,
      "interval": [
       0.899261474609375,
       0.9166259765625
      ],
      "wrong_per_1000": 19.895733588679647,
      "expected_genuine_accept": null,
      "expected_genuine_accept_error": null,
      "expected_genuine_accept_reason": "too uncertain"
     },
     "requested_by": null
    }
   ],
   "chain_root": "51c1504036ba2d8efe74f3a1a94bbd11f3aebce98921dd0a3e96bd9e695c0146",
   "audit_root": "3084aaad87bce88f8b6e5245a27950d1f90d262b41ca44dd6622fb0f2569cf9d"
  }
 },
 "readStream": {
  "path": "/api/v1/streams/calibration-antwerp",
  "status": 200,
  "answer": {
   "items": [
    {
     "id": "01a20f41-759e-7ce2-96dd-c5df3850da29",
     "type": "RungApproved",
     "version": 3,
     "revision": 0,
     "position": "469",
     "recorded_at": "2026-11-24T20:31:17.953Z",
     "data": {
      "population": "antwerp",
      "reject_target": 0.98,
      "scorer": null,
      "operator": "anna",
      "reason": "enough claims",
      "at": "2026-11-24T20:31:17.917Z",
      "chain": "610df03b81f3b03a3b2428ddcfa6d5368508bcee10b4c1bd15962653927cde2c",
      "proposal": {
       "digest": "1c8dd1827c462f3628b9583021b7eec338c9ecde3cccbf8b579e14916935bf4d",
       "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
       "method": "cross-pairs/1",
       "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
       "position": "463",
       "decisions": 0,
       "claims": 107,
       "roughs": 98,
       "polishes": 97,
       "pairs": 9399,
       "threshold": 0.9059170348744945,
       "interval": [
        0.899261474609375,
        0.9166259765625
       ],
       "wrong_per_1000": 19.895733588679647,
       "expected_genuine_accept": null,
       "expected_genuine_accept_error": null,
       "expected_genuine_accept_reason": "too uncertain"
      },
      "requested_by": null
     }
    }
   ],
   "next_cursor": null
  }
 },
 "getAuditBundle": {
  "path": "/api/v1/calibration/antwerp/audit.zip",
  "status": 200
 },
 "withdrawThreshold": {
  "path": "/api/v1/calibration/antwerp/rungs/0.98/withdraw",
  "body": {
   "reason": "the spectrometer was exchanged"
  },
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": null,
   "reject_target": 0.98,
   "state": "uncalibrated",
   "threshold": 0.833382,
   "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
   "expected_genuine_accept": 0.937099,
   "approved_by": null,
   "requested_by": null,
   "approved_at": null,
   "reason": null,
   "evidence": null,
   "claims_held": 107,
   "claims_needed": 75,
   "awaiting_second_operator": null,
   "proposal": {
    "digest": "1fcd8868cca137e69e7713bf4a65f1d7065227bae8bcb6935b0166a254942c3b",
    "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
    "method": "cross-pairs/1",
    "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
    "position": "463",
    "decisions": 2,
    "claims": 107,
    "roughs": 98,
    "polishes": 97,
    "pairs": 9399,
    "threshold": 0.9059170348744945,
    "interval": [
     0.899261474609375,
     0.9166259765625
    ],
    "wrong_per_1000": 19.895733588679647,
    "expected_genuine_accept": null,
    "expected_genuine_accept_error": null,
    "expected_genuine_accept_reason": "too uncertain",
    "proposal_digest": "1fcd8868cca137e69e7713bf4a65f1d7065227bae8bcb6935b0166a254942c3b",
    "shipped_wrong_per_1000": 113.8
   },
   "no_proposal": null,
   "drift": null
  }
 },
 "getScorer": {
  "path": "/api/v1/calibration/antwerp/scorer",
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": "raw",
   "in_force": null,
   "claims_held": 107,
   "groups_needed": 30,
   "awaiting_second_operator": null,
   "proposal": {
    "digest": "19ff95af8a2927e6c2cd235f814814c4e7c7625c7b62e3fea405b7ea8bfc5b71",
    "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
    "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
    "method": "population-scorer/2",
    "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
    "position": "463",
    "decisions": 2,
    "claims": 107,
    "groups": 93,
    "trimmed": 10,
    "curve": "own",
    "rungs": [
     {
      "reject_target": 0.9,
      "confirmed_raw": 0.7204301075268817,
      "confirmed_mapped": 0.978494623655914,
      "wrong_raw": 0.3902524544179523,
      "wrong_mapped": 0.12856474988312294
     },
     {
      "reject_target": 0.91,
      "confirmed_raw": 0.7204301075268817,
      "confirmed_mapped": 0.978494623655914,
      "wrong_raw": 0.36348761103319305,
      "wrong_mapped": 0.11559139784946237
     }
    ],
    "proposal_digest": "19ff95af8a2927e6c2cd235f814814c4e7c7625c7b62e3fea405b7ea8bfc5b71",
    "figures": {
     "claims": 107,
     "bank": 107,
     "groups": 93,
     "trimmed": 10,
     "shares": [
      {
       "key": "laboratory",
       "share": 1
      }
     ],
     "rungs": [
      {
       "reject_target": 0.9,
       "confirmed_raw": 0.7204301075268817,
       "confirmed_mapped": 0.978494623655914,
       "wrong_raw": 0.3902524544179523,
       "wrong_mapped": 0.12856474988312294
      },
      {
       "reject_target": 0.91,
       "confirmed_raw": 0.7204301075268817,
       "confirmed_mapped": 0.978494623655914,
       "wrong_raw": 0.36348761103319305,
       "wrong_mapped": 0.11559139784946237
      }
     ],
     "stability": {
      "first": 0.7659574468085106,
      "second": 0.8043478260869565
     },
     "laboratories": [
      {
       "key": "laboratory",
       "groups": 93,
       "confirmed_raw": 0.5161290322580645,
       "confirmed_mapped": 0.8064516129032258
      }
     ],
     "one_map_serves_all": true,
     "curve": "own",
     "ece": 0.044915428043590805
    }
   },
   "no_proposal": null,
   "approvals": []
  }
 },
 "tryScorer": {
  "path": "/api/v1/calibration/antwerp/scorer/dry-run",
  "body": {
   "reject_target": 0.98
  },
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
   "proposal_digest": "19ff95af8a2927e6c2cd235f814814c4e7c7625c7b62e3fea405b7ea8bfc5b71",
   "reject_target": 0.98,
   "claims": 107,
   "threshold": 0.833382,
   "threshold_source": "shipped-default: calibration population (simulated), 9999 claims",
   "tried_threshold": -0.019629,
   "tried_threshold_source": "shipped-default: calibration population (simulated), scorers of 90 stones",
   "to_match": {
    "total": 14,
    "labelled_match": 0,
    "labelled_no_match": 0,
    "unlabelled": 14,
    "claims": [
     {
      "claim_id": "clm_2d975e88fffbb8f2c7c60e09cb2720ad",
      "at": "2026-11-24T20:30:56.800Z",
      "label": null,
      "score_before": 0.8211531634767928,
      "score_after": 0.010895190644826922,
      "before": "NO_MATCH",
      "after": "MATCH"
     },
     {
      "claim_id": "clm_f3f8791c402a2801c0ca1c47b1271405",
      "at": "2026-11-24T20:30:59.252Z",
      "label": null,
      "score_before": 0.7601442283929799,
      "score_after": -0.01322716488719627,
      "before": "NO_MATCH",
      "after": "MATCH"
     }
    ]
   },
   "to_no_match": {
    "total": 8,
    "labelled_match": 0,
    "labelled_no_match": 0,
    "unlabelled": 8,
    "claims": [
     {
      "claim_id": "clm_5b346a9262af24684d77f130a17ef1ce",
      "at": "2026-11-24T20:30:57.560Z",
      "label": null,
      "score_before": 0.8377329903206922,
      "score_after": -0.07000311398096946,
      "before": "MATCH",
      "after": "NO_MATCH"
     },
     {
      "claim_id": "clm_2cb2ba3477dac98521f7ba96dd7d59f7",
      "at": "2026-11-24T20:30:58.071Z",
      "label": null,
      "score_before": 0.9344036164014362,
      "score_after": -0.06893658431995094,
      "before": "MATCH",
      "after": "NO_MATCH"
     }
    ]
   }
  }
 },
 "approveScorer": {
  "path": "/api/v1/calibration/antwerp/scorer/approve",
  "body": {
   "reason": "confirms more of our own stones",
   "proposal_digest": "19ff95af8a2927e6c2cd235f814814c4e7c7625c7b62e3fea405b7ea8bfc5b71"
  },
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": "population",
   "in_force": {
    "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
    "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
    "claims": 107,
    "groups": 93,
    "approved_by": "anna",
    "requested_by": null,
    "approved_at": "2026-11-24T20:31:53.940Z",
    "reason": "confirms more of our own stones",
    "evidence": {
     "digest": "19ff95af8a2927e6c2cd235f814814c4e7c7625c7b62e3fea405b7ea8bfc5b71",
     "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
     "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
     "method": "population-scorer/2",
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "position": "463",
     "decisions": 2,
     "claims": 107,
     "groups": 93,
     "trimmed": 10,
     "curve": "own",
     "rungs": [
      {
       "reject_target": 0.9,
       "confirmed_raw": 0.7204301075268817,
       "confirmed_mapped": 0.978494623655914,
       "wrong_raw": 0.3902524544179523,
       "wrong_mapped": 0.12856474988312294
      },
      {
       "reject_target": 0.91,
       "confirmed_raw": 0.7204301075268817,
       "confirmed_mapped": 0.978494623655914,
       "wrong_raw": 0.36348761103319305,
       "wrong_mapped": 0.11559139784946237
      }
     ]
    }
   },
   "claims_held": 107,
   "groups_needed": 100,
   "awaiting_second_operator": null,
   "proposal": null,
   "no_proposal": "the claims make 93 groups, a scorer needs 100 groups of distinct stones",
   "approvals": [
    {
     "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "claims": 107,
     "groups": 93,
     "approved_by": "anna",
     "requested_by": null,
     "approved_at": "2026-11-24T20:31:53.940Z",
     "reason": "confirms more of our own stones",
     "evidence": {
      "digest": "19ff95af8a2927e6c2cd235f814814c4e7c7625c7b62e3fea405b7ea8bfc5b71",
      "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
      "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
      "method": "population-scorer/2",
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "position": "463",
      "decisions": 2,
      "claims": 107,
      "groups": 93,
      "trimmed": 10,
      "curve": "own",
      "rungs": [
       {
        "reject_target": 0.9,
        "confirmed_raw": 0.7204301075268817,
        "confirmed_mapped": 0.978494623655914,
        "wrong_raw": 0.3902524544179523,
        "wrong_mapped": 0.12856474988312294
       },
       {
        "reject_target": 0.91,
        "confirmed_raw": 0.7204301075268817,
        "confirmed_mapped": 0.978494623655914,
        "wrong_raw": 0.36348761103319305,
        "wrong_mapped": 0.11559139784946237
       }
      ]
     },
     "in_force": true,
     "ended": null
    }
   ]
  }
 },
 "withdrawScorer": {
  "path": "/api/v1/calibration/antwerp/scorer/withdraw",
  "body": {
   "reason": "the spectrometer was exchanged"
  },
  "status": 200,
  "answer": {
   "population": "antwerp",
   "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "scorer": "raw",
   "in_force": null,
   "claims_held": 107,
   "groups_needed": 30,
   "awaiting_second_operator": null,
   "proposal": {
    "digest": "83e978895478625738acceef47a962a054ebde68b72e8d839fadbaf5027798a6",
    "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
    "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
    "method": "population-scorer/2",
    "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
    "position": "463",
    "decisions": 4,
    "claims": 107,
    "groups": 93,
    "trimmed": 10,
    "curve": "own",
    "rungs": [
     {
      "reject_target": 0.9,
      "confirmed_raw": 0.7204301075268817,
      "confirmed_mapped": 0.978494623655914,
      "wrong_raw": 0.3902524544179523,
      "wrong_mapped": 0.12856474988312294
     },
     {
      "reject_target": 0.91,
      "confirmed_raw": 0.7204301075268817,
      "confirmed_mapped": 0.978494623655914,
      "wrong_raw": 0.36348761103319305,
      "wrong_mapped": 0.11559139784946237
     }
    ],
    "proposal_digest": "83e978895478625738acceef47a962a054ebde68b72e8d839fadbaf5027798a6",
    "figures": {
     "claims": 107,
     "bank": 107,
     "groups": 93,
     "trimmed": 10,
     "shares": [
      {
       "key": "laboratory",
       "share": 1
      }
     ],
     "rungs": [
      {
       "reject_target": 0.9,
       "confirmed_raw": 0.7204301075268817,
       "confirmed_mapped": 0.978494623655914,
       "wrong_raw": 0.3902524544179523,
       "wrong_mapped": 0.12856474988312294
      },
      {
       "reject_target": 0.91,
       "confirmed_raw": 0.7204301075268817,
       "confirmed_mapped": 0.978494623655914,
       "wrong_raw": 0.36348761103319305,
       "wrong_mapped": 0.11559139784946237
      }
     ],
     "stability": {
      "first": 0.7659574468085106,
      "second": 0.8043478260869565
     },
     "laboratories": [
      {
       "key": "laboratory",
       "groups": 93,
       "confirmed_raw": 0.5161290322580645,
       "confirmed_mapped": 0.8064516129032258
      }
     ],
     "one_map_serves_all": true,
     "curve": "own",
     "ece": 0.044915428043590805
    }
   },
   "no_proposal": null,
   "approvals": [
    {
     "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "claims": 107,
     "groups": 93,
     "approved_by": "anna",
     "requested_by": null,
     "approved_at": "2026-11-24T20:31:53.940Z",
     "reason": "confirms more of our own stones",
     "evidence": {
      "digest": "19ff95af8a2927e6c2cd235f814814c4e7c7625c7b62e3fea405b7ea8bfc5b71",
      "scorer": "9859884fe72fc125a6ecca4d9660f044549e5c538cc71dd88da7eb5947a9f34e",
      "evidence_digest": "5e6f8e6a6731e8c19251d7556eb8420d47aa0aee7c7c83bf5250f3538db6d8b6",
      "method": "population-scorer/2",
      "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "position": "463",
      "decisions": 2,
      "claims": 107,
      "groups": 93,
      "trimmed": 10,
      "curve": "own",
      "rungs": [
       {
        "reject_target": 0.9,
        "confirmed_raw": 0.7204301075268817,
        "confirmed_mapped": 0.978494623655914,
        "wrong_raw": 0.3902524544179523,
        "wrong_mapped": 0.12856474988312294
       },
       {
        "reject_target": 0.91,
        "confirmed_raw": 0.7204301075268817,
        "confirmed_mapped": 0.978494623655914,
        "wrong_raw": 0.36348761103319305,
        "wrong_mapped": 0.11559139784946237
       }
      ]
     },
     "in_force": false,
     "ended": {
      "how": "withdrawn",
      "by": "anna",
      "at": "2026-11-24T20:31:54.217Z"
     }
    }
   ]
  }
 },
 "showModels": {
  "path": "/api/v1/model",
  "status": 200,
  "answer": {
   "live": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
   "switched": null,
   "installed": [
    {
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "name": "worlds",
     "live": true,
     "shadow": false,
     "scope": "Calibrated on simulated stones of the population \"calibration\", 8 cm^-1 class (resolution setting 16, atmospheric compensation on, fresh backgrounds). Thresholds hold for that population alone until an operator approves a ladder of your own. On stones of other physics, real ones included, fewer genuine claims are confirmed and more wrong ones accepted until the thresholds, and better the model, are your own. Accuracy figures describe random wrong claims, not chosen ones. NO_MATCH means that the claim is not supported; it does not show that the polish came from no rough held. p_match_5050 assumes as many true as false claims.",
     "populations_falling_back": []
    },
    {
     "model": "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611",
     "name": "shipped",
     "live": false,
     "shadow": false,
     "scope": "Calibrated on simulated stones of the population \"calibration\", 8 cm^-1 class (resolution setting 16, atmospheric compensation on, fresh backgrounds). Thresholds hold for that population alone until an operator approves a ladder of your own. Accuracy figures describe random wrong claims, not chosen ones. NO_MATCH means that the claim is not supported; it does not show that the polish came from no rough held. p_match_5050 assumes as many true as false claims.",
     "populations_falling_back": []
    }
   ],
   "workers": [
    {
     "id": "thread-1",
     "engine": "simd",
     "models": [
      "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611"
     ]
    },
    {
     "id": "thread-2",
     "engine": "simd",
     "models": [
      "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611"
     ]
    }
   ],
   "shadow_claims": {}
  }
 },
 "switchModel": {
  "path": "/api/v1/model/switch",
  "body": {
   "model": "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611",
   "reason": "confirms more of our own stones",
   "accept_uncalibrated": true
  },
  "status": 200,
  "answer": {
   "live": "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611",
   "switched": {
    "from": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
    "to": "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611",
    "populations_falling_back": [],
    "operator": "anna",
    "reason": "confirms more of our own stones",
    "request_id": "01a20f42-03a5-7c8c-a0ca-74f7304687c8",
    "at": "2026-11-24T20:31:54.293Z"
   },
   "installed": [
    {
     "model": "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
     "name": "worlds",
     "live": false,
     "shadow": true,
     "scope": "Calibrated on simulated stones of the population \"calibration\", 8 cm^-1 class (resolution setting 16, atmospheric compensation on, fresh backgrounds). Thresholds hold for that population alone until an operator approves a ladder of your own. On stones of other physics, real ones included, fewer genuine claims are confirmed and more wrong ones accepted until the thresholds, and better the model, are your own. Accuracy figures describe random wrong claims, not chosen ones. NO_MATCH means that the claim is not supported; it does not show that the polish came from no rough held. p_match_5050 assumes as many true as false claims.",
     "populations_falling_back": []
    },
    {
     "model": "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611",
     "name": "shipped",
     "live": true,
     "shadow": false,
     "scope": "Calibrated on simulated stones of the population \"calibration\", 8 cm^-1 class (resolution setting 16, atmospheric compensation on, fresh backgrounds). Thresholds hold for that population alone until an operator approves a ladder of your own. Accuracy figures describe random wrong claims, not chosen ones. NO_MATCH means that the claim is not supported; it does not show that the polish came from no rough held. p_match_5050 assumes as many true as false claims.",
     "populations_falling_back": []
    }
   ],
   "workers": [
    {
     "id": "thread-1",
     "engine": "simd",
     "models": [
      "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611"
     ]
    },
    {
     "id": "thread-2",
     "engine": "simd",
     "models": [
      "c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6",
      "c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611"
     ]
    }
   ],
   "shadow_claims": {}
  }
 },
 "createWorkspace": {
  "path": "/api/lotscan/workspaces",
  "body": {
   "name": "trader"
  },
  "status": 201,
  "answer": {
   "name": "trader",
   "token": "mvs_lots_c40...",
   "note": "store the token now: it is shown this once"
  }
 },
 "showBounds": {
  "path": "/api/lotscan/bounds",
  "status": 200,
  "answer": {
   "version": "2026-09-10",
   "stamped": "2026-09-10",
   "specified": {
    "stamped": "2026-09-10",
    "scoring": {
     "mode": "lot",
     "bar": "twin-aware",
     "false_accept_rate": 0.1,
     "enrolment_scans": 3,
     "verification_scans": 3,
     "threshold_parameter": false
    },
    "session_types": [
     "shaken",
     "table-up",
     "culet-focus"
    ],
    "lot_size": {
     "minimum": 10,
     "maximum": 60
    },
    "substitution": {
     "minimum": 0,
     "maximum": 0.4
    },
    "scans_per_stone": {
     "minimum": 3
    },
    "genuine_confirmed": {
     "at_least": 0.962,
     "at_substitution": 0.2,
     "over": "every measured population and lot size",
     "stamped_lot_of_10": {
      "shaken": 0.993,
      "table_up": 1
     }
    },
    "unrelated_caught_per_stone": {
     "shaken": {
      "from": 0.912,
      "to": 0.958
     },
     "table_up": {
      "from": 0.795,
      "to": 0.874
     },
     "culet_focus": {
      "from": 0.539,
      "to": 0.798
     },
     "stamped_lot_of_10": {
      "shaken": 0.932,
      "table_up": 0.912
     },
     "newest_parcel": {
      "from": 0.54,
      "to": 0.8,
      "note": "falling with lot size"
     }
    },
    "not_covered": [
     "Stones cut from the same rough as a lot member are caught about 57 to 76% of the time.",
     "A stone that was never enrolled cannot be certified absent.",
     "Stones above about 0.08 ct are unmeasured.",
     "Stones returning mounted in jewellery are out of scope."
    ]
   },
   "measured": {
    "simulated": true,
    "note": "Measured by this implementation on simulated stones, whose difficulty is a choice; no real melee was seen. Not the specified bounds.",
    "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
    "seed": 7000,
    "scans": 3,
    "cells": [
     {
      "family": "test",
      "session_type": "shaken",
      "lot_size": 10,
      "substitution": 0,
      "lots": 320,
      "genuine_confirmed": {
       "share": 0.9956,
       "interval": [
        0.9928,
        0.9981
       ]
      },
      "genuine_misnamed": {
       "share": 0,
       "interval": [
        0,
        0
       ]
      },
      "unrelated_caught": null,
      "twins_caught": null,
      "one_stone_false_accept": null
     },
     {
      "family": "test",
      "session_type": "shaken",
      "lot_size": 10,
      "substitution": 0.1,
      "lots": 320,
      "genuine_confirmed": {
       "share": 0.9958,
       "interval": [
        0.9927,
        0.9983
       ]
      },
      "genuine_misnamed": {
       "share": 0.0003,
       "interval": [
        0,
        0.001
       ]
      },
      "unrelated_caught": {
       "share": 0.9938,
       "interval": [
        0.9844,
        1
       ]
      },
      "twins_caught": {
       "share": 0.8219,
       "interval": [
        0.7781,
        0.8625
       ]
      },
      "one_stone_false_accept": {
       "share": 0.0656,
       "interval": [
        0.0406,
        0.0938
       ]
      }
     }
    ],
    "rehearsal": [
     {
      "session_type": "shaken",
      "lot_size": 10,
      "lots": 80,
      "cohort": 0.9978,
      "parcel": 0.9799,
      "flatters_by": {
       "share": 0.0179,
       "interval": [
        0.0125,
        0.0246
       ]
      }
     },
     {
      "session_type": "shaken",
      "lot_size": 20,
      "lots": 80,
      "cohort": 0.9959,
      "parcel": 0.9814,
      "flatters_by": {
       "share": 0.0146,
       "interval": [
        0.0106,
        0.0188
       ]
      }
     }
    ],
    "answers": [
     {
      "family": "test",
      "lot_size": 10,
      "lots": 120,
      "marked": 0,
      "false_accept": 0.0971,
      "own": 0.0546,
      "own_within": 116,
      "caught": 0.9667,
      "rehearsed": 0.9837
     },
     {
      "family": "test",
      "lot_size": 20,
      "lots": 120,
      "marked": 0,
      "false_accept": 0.1091,
      "own": 0.0669,
      "own_within": 109,
      "caught": 0.9708,
      "rehearsed": 0.9805
     }
    ]
   },
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "scope": "Says which returning stones are confirmed as members of a declared lot. \"Not confirmed\" is neither \"foreign\" nor \"absent\"; stones of the same rough are often taken for each other. Bounds and exclusions: GET /api/lotscan/bounds.",
   "workspace_scorers": "Checks and rehearsals that say scorer: workspace were decided by a scorer of the workspace’s own, on lots unlike those that these figures were measured on. They hold for the shipped scorer alone; such an answer gives what was rehearsed on the workspace’s lots."
  }
 },
 "enrolLot": {
  "path": "/api/lotscan/lots",
  "form": [
   [
    "name",
    "spring"
   ],
   [
    "files",
    "@M01_1.csv"
   ],
   [
    "files",
    "@M01_2.csv"
   ],
   [
    "files",
    "@M01_3.csv"
   ]
  ],
  "status": 201,
  "answer": {
   "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
   "name": "spring",
   "stones": [
    {
     "stone": "M01",
     "scans": 3
    },
    {
     "stone": "M02",
     "scans": 3
    }
   ],
   "session_type": "shaken",
   "session_type_source": "estimated",
   "twins": [],
   "fit": {
    "usual": true,
    "look_alikes": {
     "share": 0,
     "usual_to": 0.5
    },
    "distance": {
     "value": 5.818234257435994,
     "usual_to": 23.316389
    },
    "says": "The lot is like those that the bars were set on."
   },
   "warnings": [
    "Session type estimated: the scans look like shaken; it decides the bar; say which it was with session_type"
   ],
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "bounds_version": "2026-09-10",
   "to_do": null,
   "status": "active",
   "retired_at": null,
   "changes": [],
   "enrolled_at": "2026-11-24T20:31:56.487Z"
  }
 },
 "checkLot": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d/check",
  "form": [
   [
    "files",
    "@P01_1.csv"
   ],
   [
    "files",
    "@P01_2.csv"
   ],
   [
    "files",
    "@P01_3.csv"
   ]
  ],
  "status": 200,
  "answer": {
   "check_id": "chk_5b1a8131ece6c86677885659582b0798",
   "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
   "scorer": "shipped",
   "session_type": "table-up",
   "session_type_source": "estimated",
   "verdict": "16 of 20 confirmed, 4 not confirmed (1 of them to be scanned again).",
   "stones": [
    {
     "stone": "P01",
     "scans": 3,
     "outcome": "confirmed",
     "why": null,
     "confirmed": true,
     "member": "M17",
     "score": 19.036961843717236,
     "bar": 6.579393336160345,
     "margin": 12.457568507556891,
     "probability": 0.987980010761072
    },
    {
     "stone": "P02",
     "scans": 3,
     "outcome": "confirmed",
     "why": null,
     "confirmed": true,
     "member": "M11",
     "score": 16.74791559319473,
     "bar": 6.579393336160345,
     "margin": 10.168522257034384,
     "probability": 0.9872264672579111
    }
   ],
   "members": [
    {
     "stone": "M01",
     "accounted": true,
     "by": "P03"
    },
    {
     "stone": "M02",
     "accounted": true,
     "by": "P09"
    }
   ],
   "counts": {
    "returned": 20,
    "confirmed": 16,
    "not_confirmed": 4,
    "members_unaccounted": 4
   },
   "fit": {
    "usual": true,
    "look_alikes": {
     "share": 0,
     "usual_to": 0.5625
    },
    "distance": {
     "value": 5.818234257435994,
     "usual_to": 23.316389
    },
    "says": "The lot is like those that the bars were set on."
   },
   "workspace_scorer": null,
   "false_accept": {
    "label": 0.1,
    "measured": {
     "share": 0.0898,
     "interval": [
      0.0758,
      0.1055
     ]
    },
    "own": {
     "share": 0,
     "interval": [
      0,
      0.16112515805281938
     ]
    },
    "open_places": {
     "places": 4,
     "share": 0,
     "interval": [
      0,
      0.09641862859446367
     ]
    }
   },
   "own_bar": {
    "bar": 4.115343862126181,
    "confirmed": [
     "P01",
     "P02",
     "P03",
     "P04",
     "P06",
     "P07"
    ]
   },
   "warnings": [
    "Session type estimated: the scans look like table-up; it decides the bar; say which it was with session_type",
    "Session types differ: enrolled shaken, returned table-up; such a check is untried",
    "One member, one stone: above the bar too, for a member that another stone resembles more: P14"
   ],
   "scope": "Says which returning stones are confirmed as members of a declared lot. \"Not confirmed\" is neither \"foreign\" nor \"absent\"; stones of the same rough are often taken for each other. Bounds and exclusions: GET /api/lotscan/bounds.",
   "bounds_version": "2026-09-10",
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "to_do": null,
   "checked_at": "2026-11-24T20:31:57.011Z"
  }
 },
 "listLots": {
  "path": "/api/lotscan/lots",
  "status": 200,
  "answer": {
   "items": [
    {
     "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
     "name": "spring",
     "stones": 20,
     "session_type": "shaken",
     "enrolled_at": "2026-11-24T20:31:56.487Z",
     "retired_at": null,
     "checks": 1,
     "usual": true,
     "status": "active"
    }
   ],
   "next_cursor": null
  }
 },
 "getLot": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
  "status": 200,
  "answer": {
   "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
   "name": "spring",
   "stones": [
    {
     "stone": "M01",
     "scans": 3
    },
    {
     "stone": "M02",
     "scans": 3
    }
   ],
   "session_type": "shaken",
   "session_type_source": "estimated",
   "twins": [],
   "fit": {
    "usual": true,
    "look_alikes": {
     "share": 0,
     "usual_to": 0.5
    },
    "distance": {
     "value": 5.818234257435994,
     "usual_to": 23.316389
    },
    "says": "The lot is like those that the bars were set on."
   },
   "warnings": [
    "Session type estimated: the scans look like shaken; it decides the bar; say which it was with session_type"
   ],
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "bounds_version": "2026-09-10",
   "to_do": null,
   "status": "active",
   "retired_at": null,
   "changes": [],
   "enrolled_at": "2026-11-24T20:31:56.487Z",
   "check_count": 1,
   "checks": [
    {
     "check_id": "chk_5b1a8131ece6c86677885659582b0798",
     "session_type": "table-up",
     "verdict": "16 of 20 confirmed, 4 not confirmed (1 of them to be scanned again).",
     "checked_at": "2026-11-24T20:31:57.011Z",
     "usual": true,
     "counts": {
      "returned": 20,
      "confirmed": 16,
      "not_confirmed": 4,
      "members_unaccounted": 4
     },
     "not_confirmed": [
      "P05",
      "P12",
      "P14",
      "P20"
     ]
    }
   ]
  }
 },
 "listLotChecks": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d/checks",
  "status": 200,
  "answer": {
   "items": [
    {
     "check_id": "chk_5b1a8131ece6c86677885659582b0798",
     "session_type": "table-up",
     "verdict": "16 of 20 confirmed, 4 not confirmed (1 of them to be scanned again).",
     "checked_at": "2026-11-24T20:31:57.011Z",
     "usual": true,
     "counts": {
      "returned": 20,
      "confirmed": 16,
      "not_confirmed": 4,
      "members_unaccounted": 4
     },
     "not_confirmed": [
      "P05",
      "P12",
      "P14",
      "P20"
     ]
    }
   ],
   "next_cursor": null
  }
 },
 "rehearseLot": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d/rehearse",
  "body": {
   "substitution": 0.2,
   "seed": 7
  },
  "status": 200,
  "answer": {
   "rehearsal_id": "reh_7349f7f94009aa398db2e396e31651d5",
   "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
   "scorer": "shipped",
   "substitution": 0.2,
   "draws": 200,
   "seed": 7,
   "source": "cohort",
   "vacated": 4,
   "offered": 800,
   "caught": {
    "count": 800,
    "share": 1,
    "interval": [
     0.9811546736227335,
     1
    ]
   },
   "one_stone_false_accept": 0.013333333333333334,
   "tried": [
    {
     "substitutes": "cohort",
     "caught": {
      "count": 800,
      "share": 1,
      "interval": [
       0.9811546736227335,
       1
      ]
     },
     "one_stone_false_accept": 0.013333333333333334
    },
    {
     "substitutes": "members",
     "caught": {
      "count": 800,
      "share": 1,
      "interval": [
       0.9811546736227335,
       1
      ]
     },
     "one_stone_false_accept": 0
    }
   ],
   "fit": {
    "usual": true,
    "look_alikes": {
     "share": 0,
     "usual_to": 0.5
    },
    "distance": {
     "value": 5.818234257435994,
     "usual_to": 23.316389
    },
    "says": "The lot is like those that the bars were set on."
   },
   "workspace_scorer": null,
   "falsely_matched": [],
   "invisible_swaps": [],
   "cohort_flatters_by": 0.0146,
   "notes": [
    "Genuine members are not rehearsed: the share of them that is confirmed is in GET /api/lotscan/bounds.",
    "The lot’s own members were offered too, each to the places of others; the lower figure is given.",
    "Substitutes were the model’s cohort, which are easier to distinguish than stones of the same parcel: cohort_flatters_by is the mean of 80 simulated lots of 20, shaken, 1.5 points (1.1 to 1.9). Name lots of like goods as source to see it for this lot."
   ],
   "scope": "Says which returning stones are confirmed as members of a declared lot. \"Not confirmed\" is neither \"foreign\" nor \"absent\"; stones of the same rough are often taken for each other. Bounds and exclusions: GET /api/lotscan/bounds.",
   "bounds_version": "2026-09-10",
   "rehearsed_at": "2026-11-24T20:31:58.358Z"
  }
 },
 "changeLot": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
  "body": {
   "name": "spring, second part"
  },
  "status": 200,
  "answer": {
   "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
   "name": "spring, second part",
   "stones": [
    {
     "stone": "M01",
     "scans": 3
    },
    {
     "stone": "M02",
     "scans": 3
    }
   ],
   "session_type": "shaken",
   "session_type_source": "estimated",
   "twins": [],
   "fit": {
    "usual": true,
    "look_alikes": {
     "share": 0,
     "usual_to": 0.5
    },
    "distance": {
     "value": 5.818234257435994,
     "usual_to": 23.316389
    },
    "says": "The lot is like those that the bars were set on."
   },
   "warnings": [
    "Session type estimated: the scans look like shaken; it decides the bar; say which it was with session_type"
   ],
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "bounds_version": "2026-09-10",
   "to_do": null,
   "status": "active",
   "retired_at": null,
   "changes": [
    {
     "what": "renamed",
     "to": "spring, second part",
     "at": "2026-11-24T20:31:58.386Z"
    }
   ],
   "enrolled_at": "2026-11-24T20:31:56.487Z"
  }
 },
 "getLotCheck": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d/checks/chk_5b1a8131ece6c86677885659582b0798",
  "status": 200,
  "answer": {
   "check_id": "chk_5b1a8131ece6c86677885659582b0798",
   "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
   "scorer": "shipped",
   "session_type": "table-up",
   "session_type_source": "estimated",
   "verdict": "16 of 20 confirmed, 4 not confirmed (1 of them to be scanned again).",
   "stones": [
    {
     "stone": "P01",
     "scans": 3,
     "outcome": "confirmed",
     "why": null,
     "confirmed": true,
     "member": "M17",
     "score": 19.036961843717236,
     "bar": 6.579393336160345,
     "margin": 12.457568507556891,
     "probability": 0.987980010761072
    },
    {
     "stone": "P02",
     "scans": 3,
     "outcome": "confirmed",
     "why": null,
     "confirmed": true,
     "member": "M11",
     "score": 16.74791559319473,
     "bar": 6.579393336160345,
     "margin": 10.168522257034384,
     "probability": 0.9872264672579111
    }
   ],
   "members": [
    {
     "stone": "M01",
     "accounted": true,
     "by": "P03"
    },
    {
     "stone": "M02",
     "accounted": true,
     "by": "P09"
    }
   ],
   "counts": {
    "returned": 20,
    "confirmed": 16,
    "not_confirmed": 4,
    "members_unaccounted": 4
   },
   "fit": {
    "usual": true,
    "look_alikes": {
     "share": 0,
     "usual_to": 0.5625
    },
    "distance": {
     "value": 5.818234257435994,
     "usual_to": 23.316389
    },
    "says": "The lot is like those that the bars were set on."
   },
   "workspace_scorer": null,
   "false_accept": {
    "label": 0.1,
    "measured": {
     "share": 0.0898,
     "interval": [
      0.0758,
      0.1055
     ]
    },
    "own": {
     "share": 0,
     "interval": [
      0,
      0.16112515805281938
     ]
    },
    "open_places": {
     "places": 4,
     "share": 0,
     "interval": [
      0,
      0.09641862859446367
     ]
    }
   },
   "own_bar": {
    "bar": 4.115343862126181,
    "confirmed": [
     "P01",
     "P02",
     "P03",
     "P04",
     "P06",
     "P07"
    ]
   },
   "warnings": [
    "Session type estimated: the scans look like table-up; it decides the bar; say which it was with session_type",
    "Session types differ: enrolled shaken, returned table-up; such a check is untried",
    "One member, one stone: above the bar too, for a member that another stone resembles more: P14"
   ],
   "scope": "Says which returning stones are confirmed as members of a declared lot. \"Not confirmed\" is neither \"foreign\" nor \"absent\"; stones of the same rough are often taken for each other. Bounds and exclusions: GET /api/lotscan/bounds.",
   "bounds_version": "2026-09-10",
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "to_do": null,
   "checked_at": "2026-11-24T20:31:57.011Z"
  }
 },
 "drawLotCheck": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d/checks/chk_5b1a8131ece6c86677885659582b0798/tray.svg",
  "status": 200,
  "answer": "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"297mm\" height=\"210mm\" viewBox=\"0 0 890 536\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#1c1b1f\">\n<style>@media (prefers-color-scheme:dark){[fill=\"#ffffff\"]{fill:#15171c}[stroke=\"#ffffff\"]{stroke:#15171c}[fill=\"#1c1b1f\"]{fill:#ececf0}[stroke=\"#1c1b1f\"]{stroke:#ececf0}[fill=\"#555b65\"]{fill:#a9afba}[stroke=\"#555b65\"]{stroke:#a9afba}[fill=\"#e3f1e6\"]{fill:#15301f}[stroke=\"#e3f1e6\"]{stroke:#15301f}[fill=\"#2f7d46\"]{fill:#7ed09a}[stroke=\"#2f7d46\"]{stroke:#7ed09a}[fill=\"#fff3d6\"]{fill:#3a2c0a}[stroke=\"#fff3d6\"]{stroke:#3a2c0a}[fill=\"#a86b00\"]"
 },
 "reportLotCheck": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d/checks/chk_5b1a8131ece6c86677885659582b0798/report",
  "status": 200,
  "answer": "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>spring, second part: check of a lot</title><style>:root{color-scheme:light dark}body{font:10pt/1.4 system-ui,sans-serif;max-width:190mm;margin:10mm auto}\nh1{font-size:16pt;margin:0}h2{font-size:11pt;margin:6mm 0 1mm}table{border-collapse:collapse;width:100%}\ntd,th{text-align:left;padding:.6mm 3mm .6mm 0;border-bottom:1px solid #8886;vertical-align:top}\n.verdict{font-size:12pt;font-weight:600}.unfit{border:2px solid #b3261e;padding:2mm}svg{width:100%;height:auto}\ntr,svg{break-inside:avoid}.facts td+td{overflow-wrap:anywhere}@med"
 },
 "retireLot": {
  "path": "/api/lotscan/lots/lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
  "status": 200,
  "answer": {
   "lot_id": "lot_5ff0b565ce70c35b82e2dfd7de2ad36d",
   "name": "spring, second part",
   "stones": [
    {
     "stone": "M01",
     "scans": 3
    },
    {
     "stone": "M02",
     "scans": 3
    }
   ],
   "session_type": "shaken",
   "session_type_source": "estimated",
   "twins": [],
   "fit": {
    "usual": true,
    "look_alikes": {
     "share": 0,
     "usual_to": 0.5
    },
    "distance": {
     "value": 5.818234257435994,
     "usual_to": 23.316389
    },
    "says": "The lot is like those that the bars were set on."
   },
   "warnings": [
    "Session type estimated: the scans look like shaken; it decides the bar; say which it was with session_type"
   ],
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "bounds_version": "2026-09-10",
   "to_do": null,
   "status": "retired",
   "retired_at": "2026-11-24T20:31:58.537Z",
   "changes": [
    {
     "what": "renamed",
     "to": "spring, second part",
     "at": "2026-11-24T20:31:58.386Z"
    },
    {
     "what": "retired",
     "to": null,
     "at": "2026-11-24T20:31:58.537Z"
    }
   ],
   "enrolled_at": "2026-11-24T20:31:56.487Z"
  }
 },
 "listWorkspaces": {
  "path": "/api/lotscan/workspaces",
  "status": 200,
  "answer": {
   "items": [
    {
     "name": "trader",
     "prefix": "mvs_lots_c40e36253c9be87e",
     "status": "active",
     "created_at": "2026-11-24T20:31:54.340Z",
     "created_by": "anna",
     "revoked_at": null,
     "revoked_by": null,
     "last_used_at": "2026-11-24T20:31:58.537Z"
    }
   ],
   "next_cursor": null
  }
 },
 "getLotScorer": {
  "path": "/api/lotscan/workspaces/mvs_lots_c40e36253c9be87e/scorer",
  "status": 200,
  "answer": {
   "workspace": "trader",
   "prefix": "mvs_lots_c40e36253c9be87e",
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "scorer": "shipped",
   "in_force": null,
   "lots": 6,
   "lots_marked": 5,
   "lots_checked": 5,
   "lots_needed": 5,
   "awaiting_second_operator": null,
   "proposal": {
    "digest": "1f06a80faae7f530d785e4f0f9ebcb55324bfc59bbb99c938fcc6cb3eef51023",
    "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
    "method": "lot-scorer/1",
    "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
    "evidence_digest": "fd6f85739c6fbf622fdd546d7b5ec60496e18b8ddc2026abcbf6d506c8c23d91",
    "decisions": 0,
    "rests_on": [
     {
      "lot_id": "lot_fd368d3ba25bc11a4d95480437885a9b",
      "check_id": "chk_bb4a6e656b3ac4e5494dd309b1f00064"
     },
     {
      "lot_id": "lot_aa1afce1cd04365ee4cbc7a0abf7a869",
      "check_id": "chk_0327708a56155e12734fa6757a2fb661"
     }
    ],
    "members": 50,
    "returned": 50,
    "copies": 0,
    "confirmed": {
     "shipped": 40,
     "workspace": 36
    },
    "caught": {
     "shipped": 0.754,
     "workspace": 0.834
    },
    "one_stone_false_accept": {
     "shipped": 0.74,
     "workspace": 0.48
    },
    "proposal_digest": "1f06a80faae7f530d785e4f0f9ebcb55324bfc59bbb99c938fcc6cb3eef51023",
    "changed": [
     {
      "lot_id": "lot_fd368d3ba25bc11a4d95480437885a9b",
      "check_id": "chk_bb4a6e656b3ac4e5494dd309b1f00064",
      "returned": 10,
      "confirmed": {
       "shipped": 9,
       "workspace": 9
      },
      "newly_confirmed": [
       "P5"
      ],
      "no_longer_confirmed": [
       "P1"
      ]
     },
     {
      "lot_id": "lot_aa1afce1cd04365ee4cbc7a0abf7a869",
      "check_id": "chk_0327708a56155e12734fa6757a2fb661",
      "returned": 10,
      "confirmed": {
       "shipped": 9,
       "workspace": 8
      },
      "newly_confirmed": [],
      "no_longer_confirmed": [
       "P6"
      ]
     }
    ]
   },
   "no_proposal": null,
   "approvals": []
  }
 },
 "approveLotScorer": {
  "path": "/api/lotscan/workspaces/mvs_lots_c40e36253c9be87e/scorer/approve",
  "body": {
   "reason": "it catches more of our own lots",
   "proposal_digest": "1f06a80faae7f530d785e4f0f9ebcb55324bfc59bbb99c938fcc6cb3eef51023"
  },
  "status": 200,
  "answer": {
   "workspace": "trader",
   "prefix": "mvs_lots_c40e36253c9be87e",
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "scorer": "workspace",
   "in_force": {
    "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
    "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
    "lots": 5,
    "approved_by": "anna",
    "requested_by": null,
    "approved_at": "2026-11-24T20:32:02.042Z",
    "reason": "it catches more of our own lots",
    "evidence": {
     "digest": "1f06a80faae7f530d785e4f0f9ebcb55324bfc59bbb99c938fcc6cb3eef51023",
     "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
     "method": "lot-scorer/1",
     "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
     "evidence_digest": "fd6f85739c6fbf622fdd546d7b5ec60496e18b8ddc2026abcbf6d506c8c23d91",
     "decisions": 0,
     "rests_on": [
      {
       "lot_id": "lot_fd368d3ba25bc11a4d95480437885a9b",
       "check_id": "chk_bb4a6e656b3ac4e5494dd309b1f00064"
      },
      {
       "lot_id": "lot_aa1afce1cd04365ee4cbc7a0abf7a869",
       "check_id": "chk_0327708a56155e12734fa6757a2fb661"
      }
     ],
     "members": 50,
     "returned": 50,
     "copies": 0,
     "confirmed": {
      "shipped": 40,
      "workspace": 36
     },
     "caught": {
      "shipped": 0.754,
      "workspace": 0.834
     },
     "one_stone_false_accept": {
      "shipped": 0.74,
      "workspace": 0.48
     }
    }
   },
   "lots": 6,
   "lots_marked": 5,
   "lots_checked": 5,
   "lots_needed": 5,
   "awaiting_second_operator": null,
   "proposal": null,
   "no_proposal": "the scorer in force rests on the newest lots and checks",
   "approvals": [
    {
     "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
     "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
     "lots": 5,
     "approved_by": "anna",
     "requested_by": null,
     "approved_at": "2026-11-24T20:32:02.042Z",
     "reason": "it catches more of our own lots",
     "evidence": {
      "digest": "1f06a80faae7f530d785e4f0f9ebcb55324bfc59bbb99c938fcc6cb3eef51023",
      "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
      "method": "lot-scorer/1",
      "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
      "evidence_digest": "fd6f85739c6fbf622fdd546d7b5ec60496e18b8ddc2026abcbf6d506c8c23d91",
      "decisions": 0,
      "rests_on": [
       {
        "lot_id": "lot_fd368d3ba25bc11a4d95480437885a9b",
        "check_id": "chk_bb4a6e656b3ac4e5494dd309b1f00064"
       },
       {
        "lot_id": "lot_aa1afce1cd04365ee4cbc7a0abf7a869",
        "check_id": "chk_0327708a56155e12734fa6757a2fb661"
       }
      ],
      "members": 50,
      "returned": 50,
      "copies": 0,
      "confirmed": {
       "shipped": 40,
       "workspace": 36
      },
      "caught": {
       "shipped": 0.754,
       "workspace": 0.834
      },
      "one_stone_false_accept": {
       "shipped": 0.74,
       "workspace": 0.48
      }
     },
     "in_force": true,
     "ended": null
    }
   ]
  }
 },
 "withdrawLotScorer": {
  "path": "/api/lotscan/workspaces/mvs_lots_c40e36253c9be87e/scorer/withdraw",
  "body": {
   "reason": "another supplier"
  },
  "status": 200,
  "answer": {
   "workspace": "trader",
   "prefix": "mvs_lots_c40e36253c9be87e",
   "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
   "scorer": "shipped",
   "in_force": null,
   "lots": 6,
   "lots_marked": 5,
   "lots_checked": 5,
   "lots_needed": 5,
   "awaiting_second_operator": null,
   "proposal": {
    "digest": "a4ad5288d7abe63ee03285f8ee662af8e4e4fdc7f351af24ef8f32592bc74abf",
    "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
    "method": "lot-scorer/1",
    "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
    "evidence_digest": "fd6f85739c6fbf622fdd546d7b5ec60496e18b8ddc2026abcbf6d506c8c23d91",
    "decisions": 2,
    "rests_on": [
     {
      "lot_id": "lot_fd368d3ba25bc11a4d95480437885a9b",
      "check_id": "chk_bb4a6e656b3ac4e5494dd309b1f00064"
     },
     {
      "lot_id": "lot_aa1afce1cd04365ee4cbc7a0abf7a869",
      "check_id": "chk_0327708a56155e12734fa6757a2fb661"
     }
    ],
    "members": 50,
    "returned": 50,
    "copies": 0,
    "confirmed": {
     "shipped": 40,
     "workspace": 36
    },
    "caught": {
     "shipped": 0.754,
     "workspace": 0.834
    },
    "one_stone_false_accept": {
     "shipped": 0.74,
     "workspace": 0.48
    },
    "proposal_digest": "a4ad5288d7abe63ee03285f8ee662af8e4e4fdc7f351af24ef8f32592bc74abf",
    "changed": [
     {
      "lot_id": "lot_fd368d3ba25bc11a4d95480437885a9b",
      "check_id": "chk_bb4a6e656b3ac4e5494dd309b1f00064",
      "returned": 10,
      "confirmed": {
       "shipped": 9,
       "workspace": 9
      },
      "newly_confirmed": [
       "P5"
      ],
      "no_longer_confirmed": [
       "P1"
      ]
     },
     {
      "lot_id": "lot_aa1afce1cd04365ee4cbc7a0abf7a869",
      "check_id": "chk_0327708a56155e12734fa6757a2fb661",
      "returned": 10,
      "confirmed": {
       "shipped": 9,
       "workspace": 8
      },
      "newly_confirmed": [],
      "no_longer_confirmed": [
       "P6"
      ]
     }
    ]
   },
   "no_proposal": null,
   "approvals": [
    {
     "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
     "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
     "lots": 5,
     "approved_by": "anna",
     "requested_by": null,
     "approved_at": "2026-11-24T20:32:02.042Z",
     "reason": "it catches more of our own lots",
     "evidence": {
      "digest": "1f06a80faae7f530d785e4f0f9ebcb55324bfc59bbb99c938fcc6cb3eef51023",
      "scorer": "a2115149cb55ea62f1f038e95792752f4d5384c05cbe1ef881c289b6f2637420",
      "method": "lot-scorer/1",
      "model": "cf8790ed4a1fefd1fb707593ddc50890b6430bb9fe3aca45307ffaf6a9ee031f",
      "evidence_digest": "fd6f85739c6fbf622fdd546d7b5ec60496e18b8ddc2026abcbf6d506c8c23d91",
      "decisions": 0,
      "rests_on": [
       {
        "lot_id": "lot_fd368d3ba25bc11a4d95480437885a9b",
        "check_id": "chk_bb4a6e656b3ac4e5494dd309b1f00064"
       },
       {
        "lot_id": "lot_aa1afce1cd04365ee4cbc7a0abf7a869",
        "check_id": "chk_0327708a56155e12734fa6757a2fb661"
       }
      ],
      "members": 50,
      "returned": 50,
      "copies": 0,
      "confirmed": {
       "shipped": 40,
       "workspace": 36
      },
      "caught": {
       "shipped": 0.754,
       "workspace": 0.834
      },
      "one_stone_false_accept": {
       "shipped": 0.74,
       "workspace": 0.48
      }
     },
     "in_force": false,
     "ended": {
      "how": "withdrawn",
      "by": "anna",
      "at": "2026-11-24T20:32:02.102Z"
     }
    }
   ]
  }
 },
 "revokeWorkspace": {
  "path": "/api/lotscan/workspaces/mvs_lots_c40e36253c9be87e",
  "status": 200,
  "answer": {
   "name": "trader",
   "prefix": "mvs_lots_c40e36253c9be87e",
   "status": "revoked",
   "revoked_at": "2026-11-24T20:32:02.161Z",
   "revoked_by": "anna"
  }
 },
 "skipEvent": {
  "path": "/api/v1/views/skip",
  "body": {
   "position": "501",
   "reason": "written by a newer version that was taken back"
  },
  "status": 200,
  "answer": {
   "position": "501",
   "stream": "claim-future",
   "type": "FromTheFuture",
   "reason": "written by a newer version that was taken back",
   "operator": "anna",
   "at": "2026-11-24T20:32:02.432Z"
  }
 },
 "revokeKey": {
  "path": "/api/v1/keys/mvs_live_512738161b2a7913",
  "status": 200,
  "answer": {
   "name": "laboratory",
   "prefix": "mvs_live_512738161b2a7913",
   "status": "revoked",
   "revoked_at": "2026-11-24T20:32:02.450Z",
   "revoked_by": "anna"
  }
 }
};
