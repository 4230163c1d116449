PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE run (
    key             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    started_unix_ms INTEGER NOT NULL,
    suite           TEXT NOT NULL,
    plan            TEXT NOT NULL,
    complete        INTEGER NOT NULL DEFAULT 0,
    measuring_s     REAL NOT NULL DEFAULT 0
, kind TEXT NOT NULL DEFAULT 'measured' CHECK (kind IN ('measured', 'imported')), let_go_unix_ms INTEGER, epochs INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO run VALUES(1,'complete',5,'quick','{"id":"complete","started_unix_ms":5,"lab_version":"0.1.0","command":["tlslab","run"],"suite":"quick","seed":18446744073709551615,"budget_s":42.0,"rounds":16,"slice_ns":5000000,"slices":1,"estimator":"trimmed_mean","baseline":"a","policy":{"confidence":0.99,"tries":3,"slicing":{"slice_ns":500000,"slices":8,"warm_up":{"least_ns":2000000,"least_iterations":16,"most_ns":20000000}},"comparison":{"alpha":0.005,"confirmation_alpha":0.05,"false_discovery_rate":0.02,"time_floor":0.001,"fixed_layout_time_floor":0.015,"exact_floor":0.0001,"negligible":0.005,"rounds":[{"looks":[32,64],"confirmation":32},{"looks":[16,32],"confirmation":16},{"looks":[16],"confirmation":16}],"shortest_visit_s":0.06,"cell_s":10.0,"seeds":[5,3],"unseeded_counts":[3,3],"trial":[8,0.15],"trial_gain":0.7},"apart":{"drift":0.05,"drift_by_reference":0.02,"exact_floor":0.0002,"folded_floor":0.002},"examination":{"doctor_rounds":12,"neighbour_cycles":16,"bisect_rounds":{"looks":[16,32],"confirmation":16},"layouts":128,"confidence":0.95,"quick":[0.1,8]},"history":{"alpha":0.0001,"false_discovery_rate":0.05,"persistence":1,"new_run_alpha":0.01,"permutations":1999,"shortest_segment":3,"step_floor":0.0002,"step_band":5.0},"ratios":{"handshake_floor":0.0025,"transfer_floor":0.02}},"host":{"cpu":{"name":null,"vendor":null,"family":null,"model":null,"stepping":null,"microcode":null,"features":null},"topology":{"logical_cpus":null,"allowed_cpus":null,"cores":null,"smt":null},"system":{"kernel":null,"os":null,"memory_bytes":null},"virtualisation":{"kind":null,"hypervisor":null,"container":null},"tuning":{"governor":null,"turbo":null,"mitigations":null,"clocksource":null,"clocksources_available":null,"address_randomisation":null,"transparent_huge_pages":null,"counters":null},"load":null},"pki_digest":"d","scenarios":[{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2}],"stacks":[{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}}],"metrics":["time"],"pairing":"own"}',1,1.5,'measured',NULL,1);
INSERT INTO run VALUES(2,'pruned',6,'quick','{"id":"pruned","started_unix_ms":6,"lab_version":"0.1.0","command":["tlslab","run"],"suite":"quick","seed":18446744073709551615,"budget_s":42.0,"rounds":16,"slice_ns":5000000,"slices":1,"estimator":"trimmed_mean","baseline":"a","policy":{"confidence":0.99,"tries":3,"slicing":{"slice_ns":500000,"slices":8,"warm_up":{"least_ns":2000000,"least_iterations":16,"most_ns":20000000}},"comparison":{"alpha":0.005,"confirmation_alpha":0.05,"false_discovery_rate":0.02,"time_floor":0.001,"fixed_layout_time_floor":0.015,"exact_floor":0.0001,"negligible":0.005,"rounds":[{"looks":[32,64],"confirmation":32},{"looks":[16,32],"confirmation":16},{"looks":[16],"confirmation":16}],"shortest_visit_s":0.06,"cell_s":10.0,"seeds":[5,3],"unseeded_counts":[3,3],"trial":[8,0.15],"trial_gain":0.7},"apart":{"drift":0.05,"drift_by_reference":0.02,"exact_floor":0.0002,"folded_floor":0.002},"examination":{"doctor_rounds":12,"neighbour_cycles":16,"bisect_rounds":{"looks":[16,32],"confirmation":16},"layouts":128,"confidence":0.95,"quick":[0.1,8]},"history":{"alpha":0.0001,"false_discovery_rate":0.05,"persistence":1,"new_run_alpha":0.01,"permutations":1999,"shortest_segment":3,"step_floor":0.0002,"step_band":5.0},"ratios":{"handshake_floor":0.0025,"transfer_floor":0.02}},"host":{"cpu":{"name":null,"vendor":null,"family":null,"model":null,"stepping":null,"microcode":null,"features":null},"topology":{"logical_cpus":null,"allowed_cpus":null,"cores":null,"smt":null},"system":{"kernel":null,"os":null,"memory_bytes":null},"virtualisation":{"kind":null,"hypervisor":null,"container":null},"tuning":{"governor":null,"turbo":null,"mitigations":null,"clocksource":null,"clocksources_available":null,"address_randomisation":null,"transparent_huge_pages":null,"counters":null},"load":null},"pki_digest":"d","scenarios":[{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2}],"stacks":[{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}}],"metrics":["time"],"pairing":"own"}',1,1.5,'measured',9,1);
INSERT INTO run VALUES(3,'interrupted',7,'quick','{"id":"interrupted","started_unix_ms":7,"lab_version":"0.1.0","command":["tlslab","run"],"suite":"quick","seed":18446744073709551615,"budget_s":42.0,"rounds":16,"slice_ns":5000000,"slices":1,"estimator":"trimmed_mean","baseline":"a","policy":{"confidence":0.99,"tries":3,"slicing":{"slice_ns":500000,"slices":8,"warm_up":{"least_ns":2000000,"least_iterations":16,"most_ns":20000000}},"comparison":{"alpha":0.005,"confirmation_alpha":0.05,"false_discovery_rate":0.02,"time_floor":0.001,"fixed_layout_time_floor":0.015,"exact_floor":0.0001,"negligible":0.005,"rounds":[{"looks":[32,64],"confirmation":32},{"looks":[16,32],"confirmation":16},{"looks":[16],"confirmation":16}],"shortest_visit_s":0.06,"cell_s":10.0,"seeds":[5,3],"unseeded_counts":[3,3],"trial":[8,0.15],"trial_gain":0.7},"apart":{"drift":0.05,"drift_by_reference":0.02,"exact_floor":0.0002,"folded_floor":0.002},"examination":{"doctor_rounds":12,"neighbour_cycles":16,"bisect_rounds":{"looks":[16,32],"confirmation":16},"layouts":128,"confidence":0.95,"quick":[0.1,8]},"history":{"alpha":0.0001,"false_discovery_rate":0.05,"persistence":1,"new_run_alpha":0.01,"permutations":1999,"shortest_segment":3,"step_floor":0.0002,"step_band":5.0},"ratios":{"handshake_floor":0.0025,"transfer_floor":0.02}},"host":{"cpu":{"name":null,"vendor":null,"family":null,"model":null,"stepping":null,"microcode":null,"features":null},"topology":{"logical_cpus":null,"allowed_cpus":null,"cores":null,"smt":null},"system":{"kernel":null,"os":null,"memory_bytes":null},"virtualisation":{"kind":null,"hypervisor":null,"container":null},"tuning":{"governor":null,"turbo":null,"mitigations":null,"clocksource":null,"clocksources_available":null,"address_randomisation":null,"transparent_huge_pages":null,"counters":null},"load":null},"pki_digest":"d","scenarios":[{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2}],"stacks":[{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}}],"metrics":["time"],"pairing":"own"}',0,1.5,'measured',NULL,0);
INSERT INTO run VALUES(4,'imported',8,'criterion','{"id":"imported","started_unix_ms":8,"format":"criterion","label":"abc","files":["f"],"raw":[]}',1,0.0,'imported',NULL,1);
CREATE TABLE warning (
    run  INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    text TEXT NOT NULL,
    UNIQUE (run, text)
) STRICT;
INSERT INTO warning VALUES(1,'loud');
INSERT INTO warning VALUES(2,'loud');
INSERT INTO warning VALUES(3,'loud');
CREATE TABLE cell (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    proof    TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack)
) STRICT, WITHOUT ROWID;
INSERT INTO cell VALUES(1,2,1,'{"unsupported":"no"}');
INSERT INTO cell VALUES(2,2,1,'{"unsupported":"no"}');
INSERT INTO cell VALUES(3,2,1,'{"unsupported":"no"}');
CREATE TABLE overhead (
    run           INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    stack         INTEGER NOT NULL,
    round         INTEGER NOT NULL,
    calibration   TEXT NOT NULL,
    round_trip_ns REAL NOT NULL
) STRICT;
CREATE TABLE visit (
    key      INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    round    INTEGER NOT NULL,
    scenario INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0, packed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run, round, scenario, attempt)
) STRICT;
INSERT INTO visit VALUES(1,1,1,2,0,1,2);
INSERT INTO visit VALUES(2,1,1,2,1,0,1);
INSERT INTO visit VALUES(3,2,1,2,0,1,2);
INSERT INTO visit VALUES(4,2,1,2,1,0,1);
INSERT INTO visit VALUES(5,3,1,2,0,1,2);
INSERT INTO visit VALUES(6,3,1,2,1,0,0);
CREATE TABLE sample (
    visit                     INTEGER NOT NULL REFERENCES visit (key) ON DELETE CASCADE,
    block                     INTEGER NOT NULL,
    place                     INTEGER NOT NULL,
    stack                     INTEGER NOT NULL,
    iterations                INTEGER NOT NULL,
    elapsed_ns                INTEGER NOT NULL,
    client_create_ns          INTEGER NOT NULL,
    client_handshake_ns       INTEGER NOT NULL,
    client_post_handshake_ns  INTEGER NOT NULL,
    client_free_ns            INTEGER NOT NULL,
    client_send_ns            INTEGER NOT NULL,
    client_receive_ns         INTEGER NOT NULL,
    client_clock_reads        INTEGER NOT NULL,
    client_wire_bytes         INTEGER NOT NULL,
    client_plaintext_sent     INTEGER NOT NULL,
    client_plaintext_received INTEGER NOT NULL,
    server_create_ns          INTEGER NOT NULL,
    server_handshake_ns       INTEGER NOT NULL,
    server_post_handshake_ns  INTEGER NOT NULL,
    server_free_ns            INTEGER NOT NULL,
    server_send_ns            INTEGER NOT NULL,
    server_receive_ns         INTEGER NOT NULL,
    server_clock_reads        INTEGER NOT NULL,
    server_wire_bytes         INTEGER NOT NULL,
    server_plaintext_sent     INTEGER NOT NULL,
    server_plaintext_received INTEGER NOT NULL, detail TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (visit, block, stack)
) STRICT, WITHOUT ROWID;
INSERT INTO sample VALUES(6,0,0,1,7,5000,100,101,102,103,104,105,106,107,108,109,200,201,202,203,204,205,206,207,208,209,'{"client":{"context_ns":110,"operation_ns":110,"calls_ns":[100,101],"latencies":[[3,100],[700,2]]},"server":{"context_ns":210,"operation_ns":210,"calls_ns":[200,201],"latencies":[[3,200],[700,2]]},"threads":[{"iterations":7,"elapsed_ns":4900}],"warm_up":{"iterations":3,"elapsed_ns":2100,"client":{"first_ns":900,"total_ns":1100},"server":{"first_ns":500,"total_ns":800}}}');
CREATE TABLE pair (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    client   INTEGER NOT NULL,
    server   INTEGER NOT NULL,
    proof    TEXT NOT NULL,
    PRIMARY KEY (run, scenario, client, server)
) STRICT, WITHOUT ROWID;
CREATE TABLE pair_sample (
    visit                    INTEGER NOT NULL REFERENCES visit (key) ON DELETE CASCADE,
    block                    INTEGER NOT NULL,
    place                    INTEGER NOT NULL,
    client                   INTEGER NOT NULL,
    server                   INTEGER NOT NULL,
    iterations               INTEGER NOT NULL,
    client_create_ns         INTEGER NOT NULL,
    client_handshake_ns      INTEGER NOT NULL,
    client_post_handshake_ns INTEGER NOT NULL,
    client_free_ns           INTEGER NOT NULL,
    client_clock_reads       INTEGER NOT NULL,
    client_wire_bytes        INTEGER NOT NULL,
    server_create_ns         INTEGER NOT NULL,
    server_handshake_ns      INTEGER NOT NULL,
    server_post_handshake_ns INTEGER NOT NULL,
    server_free_ns           INTEGER NOT NULL,
    server_clock_reads       INTEGER NOT NULL,
    server_wire_bytes        INTEGER NOT NULL,
    PRIMARY KEY (visit, block, client, server)
) STRICT, WITHOUT ROWID;
CREATE TABLE weight (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('heap', 'resident')),
    process  INTEGER NOT NULL,
    weighed  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, kind, process)
) STRICT, WITHOUT ROWID;
INSERT INTO weight VALUES(1,0,1,'heap',0,'{"unsupported":"no"}');
INSERT INTO weight VALUES(2,0,1,'heap',0,'{"unsupported":"no"}');
INSERT INTO weight VALUES(3,0,1,'heap',0,'{"unsupported":"no"}');
CREATE TABLE cell_count (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    seed     INTEGER NOT NULL,
    counted  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, seed)
) STRICT, WITHOUT ROWID;
INSERT INTO cell_count VALUES(1,0,1,-1,'{"unsupported":"no"}');
INSERT INTO cell_count VALUES(2,0,1,-1,'{"unsupported":"no"}');
INSERT INTO cell_count VALUES(3,0,1,-1,'{"unsupported":"no"}');
CREATE TABLE pack (
    visit INTEGER PRIMARY KEY REFERENCES visit (key) ON DELETE CASCADE,
    body  BLOB NOT NULL
) STRICT;
INSERT INTO pack VALUES(1,X'0128b52ffd0458350f00865b4b1f50679d0341cc334179744fd294516df3566666bab75afe560a8c81aaaa9a3e4300420042006b5ba69ff90cf6410fda873568f5fff0ff8371d6498b2d5a214616051d143d6fb57d0f5addb9287868d6736895fea2e0368b496855f04188a8c184826e9934b01c2602ee51c8d3c8be030066db53805684a70977d636e6d0444c8ad0ea78fa2078b6d98656c6d38603ad43abe2e9625b005ae9d3ca3c174968954fe761199c032dc3d3ffbe7a55e755fdabfaa96d09da3af4342955ff692421b8787b681000cc4103ed5b0c3da974b60518404068a5d64541677802d0324c38c656933c9d3c17059dc2d385e712d334a9bfe0bf70a8b3f5a2c73cf19fb8f60430a9858b848212821968ab003da93f31fc278691649cb5cdf0549deae4aa2e5cd5c8554db8aa8fabdab8aa8bab3a48a811a12202b0644466526268339022a9122a1e1260d0699642318ac58c325005154c341396dabb1a5dc5fb710d7b170c68064c84457e3b2739fd7b301a10b24de6f09a24206e5b6e21745efae58fbe0d3b4e352f05d24684b4dba7c58e81e1d4b8a8e9e77268b4685485c9ae0c16589213d3b50fe56ff6fa05b63e3c82c91f8ed9b3e251335c94a87b8283c7f3b600fa86d303c29ede742f45b9322e357273f35eb2eece3046bc338d799bec9b85ee3ba963485305277b5a4c');
INSERT INTO pack VALUES(2,X'0128b52ffd0458a50b00e6d33a1e6045dc0d8e2d4c2efb097fada35992281f0451db03aa88d931488220e80231003200330029bd807ffbe60b5b98acaa0495f8739a39261b90035f6b966fe7bf6072420e6456ffc34c077e7b9a85d081cf99a3e88750c906ff018472b7046072419376a798d530a7c164c262f1e50e930749f387c90277094c5ef5af71303931adbca4b5a2feed2e51c49baac9601452f0ceac07a10656f36f861971d294ea1ca1781a262f72e0531ea03943e831d6cbd0841c981c34216f69e6605114b1ea81c0cafa9b576a3cb724545a0174a0f32885eb00cc88558d415249bb537e3755777777777777d7f9c2f9c30c3c20d0c2b2a10e7018e400d7d1f2b0260493a54afe076ab8fa4e8ff108a39d6cb71732dcaa33126c81c70d2917dee2b6b8a154e164db42391e2391f4f5589de8ee85a145cdd7a8e7b5ec82ac0570c9e9f96e930eb67bad9ec6b15919d03cc2e25ee407671975791d0307e49e8b414143c21b0bd39b072bc3b24a3e80d602e317d97ca64b4001e9c92dc5');
INSERT INTO pack VALUES(5,X'0128b52ffd0458350f00865b4b1f50679d0341cc334179744fd294516df3566666bab75afe560a8c81aaaa9a3e4300420042006b5ba69ff90cf6410fda873568f5fff0ff8371d6498b2d5a214616051d143d6fb57d0f5addb9287868d6736895fea2e0368b496855f04188a8c184826e9934b01c2602ee51c8d3c8be030066db53805684a70977d636e6d0444c8ad0ea78fa2078b6d98656c6d38603ad43abe2e9625b005ae9d3ca3c174968954fe761199c032dc3d3ffbe7a55e755fdabfaa96d09da3af4342955ff692421b8787b681000cc4103ed5b0c3da974b60518404068a5d64541677802d0324c38c656933c9d3c17059dc2d385e712d334a9bfe0bf70a8b3f5a2c73cf19fb8f60430a9858b848212821968ab003da93f31fc278691649cb5cdf0549deae4aa2e5cd5c8554db8aa8fabdab8aa8bab3a48a811a12202b0644466526268339022a9122a1e1260d0699642318ac58c325005154c341396dabb1a5dc5fb710d7b170c68064c84457e3b2739fd7b301a10b24de6f09a24206e5b6e21745efae58fbe0d3b4e352f05d24684b4dba7c58e81e1d4b8a8e9e77268b4685485c9ae0c16589213d3b50fe56ff6fa05b63e3c82c91f8ed9b3e251335c94a87b8283c7f3b600fa86d303c29ede742f45b9322e357273f35eb2eece3046bc338d799bec9b85ee3ba963485305277b5a4c');
CREATE TABLE raw (
    run  INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
    body BLOB NOT NULL
) STRICT;
INSERT INTO raw VALUES(4,X'28b52ffd00586d030062481a1fb025690c384d928c103958b2fb41f66e071f64db3cd151708f61049d08a327c7721444c10a8260dc9bc941816d39930218448344c87eefe231db4b50f0bd3425db89747d1b552bd1f64aa9c77ce741777b40a132e8f90e30b8761bbf115598d2eccabda92a77c50800');
CREATE TABLE series (
    key      INTEGER PRIMARY KEY,
    scenario TEXT NOT NULL,
    stack    TEXT NOT NULL,
    side     TEXT NOT NULL,
    metric   TEXT NOT NULL,
    unit     TEXT NOT NULL,
    class    TEXT NOT NULL,
    UNIQUE (scenario, stack, side, metric, unit, class)
) STRICT;
INSERT INTO series VALUES(1,'a','library','client','time','µs','some machine');
INSERT INTO series VALUES(2,'b','library','client','time','µs','some machine');
CREATE TABLE phrase (
    key    INTEGER PRIMARY KEY,
    -- SHA-256 of the text, hex: an index on long texts has limits.
    digest TEXT NOT NULL UNIQUE,
    text   TEXT NOT NULL
) STRICT;
INSERT INTO phrase VALUES(1,'d0ff5974b6aa52cf562bea5921840c032a860a91a3512f7fe8f768f6bbe005f6','1.0');
INSERT INTO phrase VALUES(2,'3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea','e');
INSERT INTO phrase VALUES(3,'5178f019d6a98163f9d9fe642db78b4cb97a55bd0116ffef1765e5ab2d7d5396','library@1.0');
INSERT INTO phrase VALUES(4,'9390298f3fb0c5b160498935d79cb139aef28e1c47358b4bbba61862b9c26e59','no');
CREATE TABLE figure (
    series INTEGER NOT NULL REFERENCES series (key),
    run    INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    place  INTEGER NOT NULL,
    stack  INTEGER NOT NULL REFERENCES phrase (key),
    label  INTEGER NOT NULL REFERENCES phrase (key),
    epoch  INTEGER NOT NULL REFERENCES phrase (key),
    n      INTEGER,
    value  REAL,
    lower  REAL,
    upper  REAL,
    -- Where there is no value: unsupported or failed, and why.
    hole   TEXT CHECK (hole IN ('unsupported', 'failed')),
    reason INTEGER REFERENCES phrase (key),
    PRIMARY KEY (series, run, place),
    CHECK ((value IS NULL) = (hole IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO figure VALUES(1,1,0,3,1,2,16,1.25,1.0,NULL,NULL,NULL);
INSERT INTO figure VALUES(1,2,0,3,1,2,16,1.25,1.0,NULL,NULL,NULL);
INSERT INTO figure VALUES(1,4,0,3,1,2,16,1.25,1.0,NULL,NULL,NULL);
INSERT INTO figure VALUES(2,1,0,3,1,2,NULL,NULL,NULL,NULL,'unsupported',4);
INSERT INTO figure VALUES(2,2,0,3,1,2,NULL,NULL,NULL,NULL,'unsupported',4);
CREATE TABLE annotation (
    stack         TEXT NOT NULL,
    label         TEXT NOT NULL,
    scenario      TEXT NOT NULL,
    text          TEXT NOT NULL,
    noted_unix_ms INTEGER NOT NULL,
    PRIMARY KEY (stack, label, scenario)
) STRICT, WITHOUT ROWID;
INSERT INTO annotation VALUES('library','1.0','','noted',1);
CREATE INDEX figure_of_run ON figure (run);
COMMIT;
PRAGMA user_version = 9;
PRAGMA application_id = 1953264492;
