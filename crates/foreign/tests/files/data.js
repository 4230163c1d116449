window.BENCHMARK_DATA = {
  "lastUpdate": 1795000700001,
  "repoUrl": "https://forge.example/library",
  "entries": {
    "Rust": [
      {
        "commit": {
          "author": { "email": "a@example.com", "name": "A", "username": "a" },
          "committer": { "email": "a@example.com", "name": "A", "username": "a" },
          "distinct": true,
          "id": "1111111111111111111111111111111111111111",
          "message": "first",
          "timestamp": "2026-11-18T10:00:00+01:00",
          "tree_id": "3333333333333333333333333333333333333333",
          "url": "https://forge.example/library/commit/1111111111111111111111111111111111111111"
        },
        "date": 1795000000000,
        "tool": "cargo",
        "benches": [
          { "name": "handshake", "value": 254, "range": "± 35", "unit": "ns/iter" },
          { "name": "parse", "value": 88, "range": "± 2", "unit": "ns/iter" }
        ]
      },
      {
        "commit": {
          "author": { "name": "A", "username": "a" },
          "committer": { "name": "A", "username": "a" },
          "id": "2222222222222222222222222222222222222222",
          "message": "second",
          "timestamp": "2026-11-18T10:10:00+01:00",
          "url": "https://forge.example/library/commit/2222222222222222222222222222222222222222"
        },
        "date": 1795000600000,
        "tool": "cargo",
        "benches": [
          { "name": "handshake", "value": 255, "range": "± 31", "unit": "ns/iter" },
          { "name": "parse", "value": 90, "range": "± 1", "unit": "ns/iter" }
        ]
      }
    ],
    "Load": [
      {
        "commit": {
          "author": { "name": "A", "username": "a" },
          "committer": { "name": "A", "username": "a" },
          "id": "2222222222222222222222222222222222222222",
          "message": "second",
          "timestamp": "2026-11-18T10:10:00+01:00",
          "url": "https://forge.example/library/commit/2222222222222222222222222222222222222222"
        },
        "date": 1795000700000,
        "tool": "customBiggerIsBetter",
        "benches": [{ "name": "requests-per-second", "value": 1200, "unit": "req/s" }]
      }
    ]
  }
};
