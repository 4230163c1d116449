SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.annotation (
    stack text NOT NULL,
    label text NOT NULL,
    scenario text NOT NULL,
    text text NOT NULL,
    noted_unix_ms bigint NOT NULL
);
CREATE TABLE public.cell (
    run bigint NOT NULL,
    scenario bigint NOT NULL,
    stack bigint NOT NULL,
    proof text NOT NULL
);
CREATE TABLE public.cell_count (
    run bigint NOT NULL,
    scenario bigint NOT NULL,
    stack bigint NOT NULL,
    seed bigint NOT NULL,
    counted text NOT NULL
);
CREATE TABLE public.figure (
    series bigint NOT NULL,
    run bigint NOT NULL,
    place bigint NOT NULL,
    stack bigint NOT NULL,
    label bigint NOT NULL,
    epoch bigint NOT NULL,
    n bigint,
    value double precision,
    lower double precision,
    upper double precision,
    hole text,
    reason bigint,
    CONSTRAINT figure_check CHECK (((value IS NULL) = (hole IS NOT NULL))),
    CONSTRAINT figure_hole_check CHECK ((hole = ANY (ARRAY['unsupported'::text, 'failed'::text])))
);
CREATE TABLE public.migration (
    number bigint NOT NULL
);
CREATE TABLE public.overhead (
    run bigint NOT NULL,
    stack bigint NOT NULL,
    round bigint NOT NULL,
    calibration text NOT NULL,
    round_trip_ns double precision NOT NULL,
    rowid bigint NOT NULL
);
ALTER TABLE public.overhead ALTER COLUMN rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.overhead_rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.pack (
    visit bigint NOT NULL,
    body bytea NOT NULL
);
ALTER TABLE ONLY public.pack ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE public.pair (
    run bigint NOT NULL,
    scenario bigint NOT NULL,
    client bigint NOT NULL,
    server bigint NOT NULL,
    proof text NOT NULL
);
CREATE TABLE public.pair_sample (
    visit bigint NOT NULL,
    block bigint NOT NULL,
    place bigint NOT NULL,
    client bigint NOT NULL,
    server bigint NOT NULL,
    iterations bigint NOT NULL,
    client_create_ns bigint NOT NULL,
    client_handshake_ns bigint NOT NULL,
    client_post_handshake_ns bigint NOT NULL,
    client_free_ns bigint NOT NULL,
    client_clock_reads bigint NOT NULL,
    client_wire_bytes bigint NOT NULL,
    server_create_ns bigint NOT NULL,
    server_handshake_ns bigint NOT NULL,
    server_post_handshake_ns bigint NOT NULL,
    server_free_ns bigint NOT NULL,
    server_clock_reads bigint NOT NULL,
    server_wire_bytes bigint NOT NULL
);
CREATE TABLE public.phrase (
    key bigint NOT NULL,
    digest text NOT NULL,
    text text NOT NULL
);
ALTER TABLE public.phrase ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.phrase_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.raw (
    run bigint NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE public.run (
    key bigint NOT NULL,
    id text NOT NULL,
    started_unix_ms bigint NOT NULL,
    suite text NOT NULL,
    plan text NOT NULL,
    complete bigint DEFAULT 0 NOT NULL,
    measuring_s double precision DEFAULT 0 NOT NULL,
    kind text DEFAULT 'measured'::text NOT NULL,
    let_go_unix_ms bigint,
    epochs bigint DEFAULT 0 NOT NULL,
    CONSTRAINT run_kind_check CHECK ((kind = ANY (ARRAY['measured'::text, 'imported'::text])))
);
ALTER TABLE public.run ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.run_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sample (
    visit bigint NOT NULL,
    block bigint NOT NULL,
    place bigint NOT NULL,
    stack bigint NOT NULL,
    iterations bigint NOT NULL,
    elapsed_ns bigint NOT NULL,
    client_create_ns bigint NOT NULL,
    client_handshake_ns bigint NOT NULL,
    client_post_handshake_ns bigint NOT NULL,
    client_free_ns bigint NOT NULL,
    client_send_ns bigint NOT NULL,
    client_receive_ns bigint NOT NULL,
    client_clock_reads bigint NOT NULL,
    client_wire_bytes bigint NOT NULL,
    client_plaintext_sent bigint NOT NULL,
    client_plaintext_received bigint NOT NULL,
    server_create_ns bigint NOT NULL,
    server_handshake_ns bigint NOT NULL,
    server_post_handshake_ns bigint NOT NULL,
    server_free_ns bigint NOT NULL,
    server_send_ns bigint NOT NULL,
    server_receive_ns bigint NOT NULL,
    server_clock_reads bigint NOT NULL,
    server_wire_bytes bigint NOT NULL,
    server_plaintext_sent bigint NOT NULL,
    server_plaintext_received bigint NOT NULL,
    detail text NOT NULL
);
CREATE TABLE public.series (
    key bigint NOT NULL,
    scenario text NOT NULL,
    stack text NOT NULL,
    side text NOT NULL,
    metric text NOT NULL,
    unit text NOT NULL,
    class text NOT NULL
);
ALTER TABLE public.series ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.series_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.visit (
    key bigint NOT NULL,
    run bigint NOT NULL,
    round bigint NOT NULL,
    scenario bigint NOT NULL,
    attempt bigint NOT NULL,
    complete bigint DEFAULT 0 NOT NULL,
    packed bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.visit ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.visit_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.warning (
    run bigint NOT NULL,
    text text NOT NULL,
    rowid bigint NOT NULL
);
ALTER TABLE public.warning ALTER COLUMN rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.warning_rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.weight (
    run bigint NOT NULL,
    scenario bigint NOT NULL,
    stack bigint NOT NULL,
    kind text NOT NULL,
    process bigint NOT NULL,
    weighed text NOT NULL,
    CONSTRAINT weight_kind_check CHECK ((kind = ANY (ARRAY['heap'::text, 'resident'::text])))
);
INSERT INTO public.annotation VALUES ('library', '1.0', '', 'noted', 1);
INSERT INTO public.cell VALUES (1, 2, 1, '{"unsupported":"no"}');
INSERT INTO public.cell VALUES (2, 2, 1, '{"unsupported":"no"}');
INSERT INTO public.cell VALUES (3, 2, 1, '{"unsupported":"no"}');
INSERT INTO public.cell_count VALUES (1, 0, 1, -1, '{"unsupported":"no"}');
INSERT INTO public.cell_count VALUES (2, 0, 1, -1, '{"unsupported":"no"}');
INSERT INTO public.cell_count VALUES (3, 0, 1, -1, '{"unsupported":"no"}');
INSERT INTO public.figure VALUES (1, 1, 0, 3, 1, 2, 16, 1.25, 1, NULL, NULL, NULL);
INSERT INTO public.figure VALUES (2, 1, 0, 3, 1, 2, NULL, NULL, NULL, NULL, 'unsupported', 4);
INSERT INTO public.figure VALUES (1, 2, 0, 3, 1, 2, 16, 1.25, 1, NULL, NULL, NULL);
INSERT INTO public.figure VALUES (2, 2, 0, 3, 1, 2, NULL, NULL, NULL, NULL, 'unsupported', 4);
INSERT INTO public.figure VALUES (1, 4, 0, 3, 1, 2, 16, 1.25, 1, NULL, NULL, NULL);
INSERT INTO public.migration VALUES (1);
INSERT INTO public.migration VALUES (2);
INSERT INTO public.migration VALUES (3);
INSERT INTO public.migration VALUES (4);
INSERT INTO public.pack VALUES (1, '\x0128b52ffd0458350f00865b4b1f50679d0341cc334179744fd294516df3566666bab75afe560a8c81aaaa9a3e4300420042006b5ba69ff90cf6410fda873568f5fff0ff8371d6498b2d5a214616051d143d6fb57d0f5addb9287868d6736895fea2e0368b496855f04188a8c184826e9934b01c2602ee51c8d3c8be030066db53805684a70977d636e6d0444c8ad0ea78fa2078b6d98656c6d38603ad43abe2e9625b005ae9d3ca3c174968954fe761199c032dc3d3ffbe7a55e755fdabfaa96d09da3af4342955ff692421b8787b681000cc4103ed5b0c3da974b60518404068a5d64541677802d0324c38c656933c9d3c17059dc2d385e712d334a9bfe0bf70a8b3f5a2c73cf19fb8f60430a9858b848212821968ab003da93f31fc278691649cb5cdf0549deae4aa2e5cd5c8554db8aa8fabdab8aa8bab3a48a811a12202b0644466526268339022a9122a1e1260d0699642318ac58c325005154c341396dabb1a5dc5fb710d7b170c68064c84457e3b2739fd7b301a10b24de6f09a24206e5b6e21745efae58fbe0d3b4e352f05d24684b4dba7c58e81e1d4b8a8e9e77268b4685485c9ae0c16589213d3b50fe56ff6fa05b63e3c82c91f8ed9b3e251335c94a87b8283c7f3b600fa86d303c29ede742f45b9322e357273f35eb2eece3046bc338d799bec9b85ee3ba963485305277b5a4c');
INSERT INTO public.pack VALUES (2, '\x0128b52ffd0458a50b00e6d33a1e6045dc0d8e2d4c2efb097fada35992281f0451db03aa88d931488220e80231003200330029bd807ffbe60b5b98acaa0495f8739a39261b90035f6b966fe7bf6072420e6456ffc34c077e7b9a85d081cf99a3e88750c906ff018472b7046072419376a798d530a7c164c262f1e50e930749f387c90277094c5ef5af71303931adbca4b5a2feed2e51c49baac9601452f0ceac07a10656f36f861971d294ea1ca1781a262f72e0531ea03943e831d6cbd0841c981c34216f69e6605114b1ea81c0cafa9b576a3cb724545a0174a0f32885eb00cc88558d415249bb537e3755777777777777d7f9c2f9c30c3c20d0c2b2a10e7018e400d7d1f2b0260493a54afe076ab8fa4e8ff108a39d6cb71732dcaa33126c81c70d2917dee2b6b8a154e164db42391e2391f4f5589de8ee85a145cdd7a8e7b5ec82ac0570c9e9f96e930eb67bad9ec6b15919d03cc2e25ee407671975791d0307e49e8b414143c21b0bd39b072bc3b24a3e80d602e317d97ca64b4001e9c92dc5');
INSERT INTO public.pack VALUES (5, '\x0128b52ffd0458350f00865b4b1f50679d0341cc334179744fd294516df3566666bab75afe560a8c81aaaa9a3e4300420042006b5ba69ff90cf6410fda873568f5fff0ff8371d6498b2d5a214616051d143d6fb57d0f5addb9287868d6736895fea2e0368b496855f04188a8c184826e9934b01c2602ee51c8d3c8be030066db53805684a70977d636e6d0444c8ad0ea78fa2078b6d98656c6d38603ad43abe2e9625b005ae9d3ca3c174968954fe761199c032dc3d3ffbe7a55e755fdabfaa96d09da3af4342955ff692421b8787b681000cc4103ed5b0c3da974b60518404068a5d64541677802d0324c38c656933c9d3c17059dc2d385e712d334a9bfe0bf70a8b3f5a2c73cf19fb8f60430a9858b848212821968ab003da93f31fc278691649cb5cdf0549deae4aa2e5cd5c8554db8aa8fabdab8aa8bab3a48a811a12202b0644466526268339022a9122a1e1260d0699642318ac58c325005154c341396dabb1a5dc5fb710d7b170c68064c84457e3b2739fd7b301a10b24de6f09a24206e5b6e21745efae58fbe0d3b4e352f05d24684b4dba7c58e81e1d4b8a8e9e77268b4685485c9ae0c16589213d3b50fe56ff6fa05b63e3c82c91f8ed9b3e251335c94a87b8283c7f3b600fa86d303c29ede742f45b9322e357273f35eb2eece3046bc338d799bec9b85ee3ba963485305277b5a4c');
INSERT INTO public.phrase OVERRIDING SYSTEM VALUE VALUES (1, 'd0ff5974b6aa52cf562bea5921840c032a860a91a3512f7fe8f768f6bbe005f6', '1.0');
INSERT INTO public.phrase OVERRIDING SYSTEM VALUE VALUES (2, '3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea', 'e');
INSERT INTO public.phrase OVERRIDING SYSTEM VALUE VALUES (3, '5178f019d6a98163f9d9fe642db78b4cb97a55bd0116ffef1765e5ab2d7d5396', 'library@1.0');
INSERT INTO public.phrase OVERRIDING SYSTEM VALUE VALUES (4, '9390298f3fb0c5b160498935d79cb139aef28e1c47358b4bbba61862b9c26e59', 'no');
INSERT INTO public.raw VALUES (4, '\x28b52ffd00586d030062481a1fb025690c384d928c103958b2fb41f66e071f64db3cd151708f61049d08a327c7721444c10a8260dc9bc941816d39930218448344c87eefe231db4b50f0bd3425db89747d1b552bd1f64aa9c77ce741777b40a132e8f90e30b8761bbf115598d2eccabda92a77c50800');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (1, 'complete', 5, 'quick', '{"id":"complete","started_unix_ms":5,"lab_version":"0.1.0","command":["tlslab","run"],"suite":"quick","seed":18446744073709551615,"budget_s":42.0,"rounds":16,"slice_ns":5000000,"slices":1,"estimator":"trimmed_mean","baseline":"a","policy":{"confidence":0.99,"tries":3,"slicing":{"slice_ns":500000,"slices":8,"warm_up":{"least_ns":2000000,"least_iterations":16,"most_ns":20000000}},"comparison":{"alpha":0.005,"confirmation_alpha":0.05,"false_discovery_rate":0.02,"time_floor":0.001,"fixed_layout_time_floor":0.015,"exact_floor":0.0001,"negligible":0.005,"rounds":[{"looks":[32,64],"confirmation":32},{"looks":[16,32],"confirmation":16},{"looks":[16],"confirmation":16}],"shortest_visit_s":0.06,"cell_s":10.0,"seeds":[5,3],"unseeded_counts":[3,3],"trial":[8,0.15],"trial_gain":0.7},"apart":{"drift":0.05,"drift_by_reference":0.02,"exact_floor":0.0002,"folded_floor":0.002},"examination":{"doctor_rounds":12,"neighbour_cycles":16,"bisect_rounds":{"looks":[16,32],"confirmation":16},"layouts":128,"confidence":0.95,"quick":[0.1,8]},"history":{"alpha":0.0001,"false_discovery_rate":0.05,"persistence":1,"new_run_alpha":0.01,"permutations":1999,"shortest_segment":3,"step_floor":0.0002,"step_band":5.0},"ratios":{"handshake_floor":0.0025,"transfer_floor":0.02}},"host":{"cpu":{"name":null,"vendor":null,"family":null,"model":null,"stepping":null,"microcode":null,"features":null},"topology":{"logical_cpus":null,"allowed_cpus":null,"cores":null,"smt":null},"system":{"kernel":null,"os":null,"memory_bytes":null},"virtualisation":{"kind":null,"hypervisor":null,"container":null},"tuning":{"governor":null,"turbo":null,"mitigations":null,"clocksource":null,"clocksources_available":null,"address_randomisation":null,"transparent_huge_pages":null,"counters":null},"load":null},"pki_digest":"d","scenarios":[{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2}],"stacks":[{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}}],"metrics":["time"],"pairing":"own"}', 1, 1.5, 'measured', NULL, 1);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (3, 'interrupted', 7, 'quick', '{"id":"interrupted","started_unix_ms":7,"lab_version":"0.1.0","command":["tlslab","run"],"suite":"quick","seed":18446744073709551615,"budget_s":42.0,"rounds":16,"slice_ns":5000000,"slices":1,"estimator":"trimmed_mean","baseline":"a","policy":{"confidence":0.99,"tries":3,"slicing":{"slice_ns":500000,"slices":8,"warm_up":{"least_ns":2000000,"least_iterations":16,"most_ns":20000000}},"comparison":{"alpha":0.005,"confirmation_alpha":0.05,"false_discovery_rate":0.02,"time_floor":0.001,"fixed_layout_time_floor":0.015,"exact_floor":0.0001,"negligible":0.005,"rounds":[{"looks":[32,64],"confirmation":32},{"looks":[16,32],"confirmation":16},{"looks":[16],"confirmation":16}],"shortest_visit_s":0.06,"cell_s":10.0,"seeds":[5,3],"unseeded_counts":[3,3],"trial":[8,0.15],"trial_gain":0.7},"apart":{"drift":0.05,"drift_by_reference":0.02,"exact_floor":0.0002,"folded_floor":0.002},"examination":{"doctor_rounds":12,"neighbour_cycles":16,"bisect_rounds":{"looks":[16,32],"confirmation":16},"layouts":128,"confidence":0.95,"quick":[0.1,8]},"history":{"alpha":0.0001,"false_discovery_rate":0.05,"persistence":1,"new_run_alpha":0.01,"permutations":1999,"shortest_segment":3,"step_floor":0.0002,"step_band":5.0},"ratios":{"handshake_floor":0.0025,"transfer_floor":0.02}},"host":{"cpu":{"name":null,"vendor":null,"family":null,"model":null,"stepping":null,"microcode":null,"features":null},"topology":{"logical_cpus":null,"allowed_cpus":null,"cores":null,"smt":null},"system":{"kernel":null,"os":null,"memory_bytes":null},"virtualisation":{"kind":null,"hypervisor":null,"container":null},"tuning":{"governor":null,"turbo":null,"mitigations":null,"clocksource":null,"clocksources_available":null,"address_randomisation":null,"transparent_huge_pages":null,"counters":null},"load":null},"pki_digest":"d","scenarios":[{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2}],"stacks":[{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}}],"metrics":["time"],"pairing":"own"}', 0, 1.5, 'measured', NULL, 0);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (2, 'pruned', 6, 'quick', '{"id":"pruned","started_unix_ms":6,"lab_version":"0.1.0","command":["tlslab","run"],"suite":"quick","seed":18446744073709551615,"budget_s":42.0,"rounds":16,"slice_ns":5000000,"slices":1,"estimator":"trimmed_mean","baseline":"a","policy":{"confidence":0.99,"tries":3,"slicing":{"slice_ns":500000,"slices":8,"warm_up":{"least_ns":2000000,"least_iterations":16,"most_ns":20000000}},"comparison":{"alpha":0.005,"confirmation_alpha":0.05,"false_discovery_rate":0.02,"time_floor":0.001,"fixed_layout_time_floor":0.015,"exact_floor":0.0001,"negligible":0.005,"rounds":[{"looks":[32,64],"confirmation":32},{"looks":[16,32],"confirmation":16},{"looks":[16],"confirmation":16}],"shortest_visit_s":0.06,"cell_s":10.0,"seeds":[5,3],"unseeded_counts":[3,3],"trial":[8,0.15],"trial_gain":0.7},"apart":{"drift":0.05,"drift_by_reference":0.02,"exact_floor":0.0002,"folded_floor":0.002},"examination":{"doctor_rounds":12,"neighbour_cycles":16,"bisect_rounds":{"looks":[16,32],"confirmation":16},"layouts":128,"confidence":0.95,"quick":[0.1,8]},"history":{"alpha":0.0001,"false_discovery_rate":0.05,"persistence":1,"new_run_alpha":0.01,"permutations":1999,"shortest_segment":3,"step_floor":0.0002,"step_band":5.0},"ratios":{"handshake_floor":0.0025,"transfer_floor":0.02}},"host":{"cpu":{"name":null,"vendor":null,"family":null,"model":null,"stepping":null,"microcode":null,"features":null},"topology":{"logical_cpus":null,"allowed_cpus":null,"cores":null,"smt":null},"system":{"kernel":null,"os":null,"memory_bytes":null},"virtualisation":{"kind":null,"hypervisor":null,"container":null},"tuning":{"governor":null,"turbo":null,"mitigations":null,"clocksource":null,"clocksources_available":null,"address_randomisation":null,"transparent_huge_pages":null,"counters":null},"load":null},"pki_digest":"d","scenarios":[{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2},{"name":"","work":{"kind":"handshake"},"version":"TLSv1.3","signature":"ecdsa-p256","group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none","tickets":0,"resumption":"none","authentication":"server","hello_retry":false,"early_data":0,"server_key_share":"fresh","context":"reused","start":"warm","transport":"memory","concurrent":false,"threads":1,"sharing":"shared","chain":2}],"stacks":[{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}},{"name":"a","title":"A","licence":"MIT","identity":null,"driver_digest":"","driver":"","environment":{},"state":{"failed":"it was not built"}}],"metrics":["time"],"pairing":"own"}', 1, 1.5, 'measured', 9, 1);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (4, 'imported', 8, 'criterion', '{"id":"imported","started_unix_ms":8,"format":"criterion","label":"abc","files":["f"],"raw":[]}', 1, 0, 'imported', NULL, 1);
INSERT INTO public.sample VALUES (6, 0, 0, 1, 7, 5000, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, '{"client":{"context_ns":110,"operation_ns":110,"calls_ns":[100,101],"latencies":[[3,100],[700,2]]},"server":{"context_ns":210,"operation_ns":210,"calls_ns":[200,201],"latencies":[[3,200],[700,2]]},"threads":[{"iterations":7,"elapsed_ns":4900}],"warm_up":{"iterations":3,"elapsed_ns":2100,"client":{"first_ns":900,"total_ns":1100},"server":{"first_ns":500,"total_ns":800}}}');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (1, 'a', 'library', 'client', 'time', 'µs', 'some machine');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (2, 'b', 'library', 'client', 'time', 'µs', 'some machine');
INSERT INTO public.visit OVERRIDING SYSTEM VALUE VALUES (1, 1, 1, 2, 0, 1, 2);
INSERT INTO public.visit OVERRIDING SYSTEM VALUE VALUES (2, 1, 1, 2, 1, 0, 1);
INSERT INTO public.visit OVERRIDING SYSTEM VALUE VALUES (3, 2, 1, 2, 0, 1, 2);
INSERT INTO public.visit OVERRIDING SYSTEM VALUE VALUES (4, 2, 1, 2, 1, 0, 1);
INSERT INTO public.visit OVERRIDING SYSTEM VALUE VALUES (5, 3, 1, 2, 0, 1, 2);
INSERT INTO public.visit OVERRIDING SYSTEM VALUE VALUES (6, 3, 1, 2, 1, 0, 0);
INSERT INTO public.warning OVERRIDING SYSTEM VALUE VALUES (1, 'loud', 1);
INSERT INTO public.warning OVERRIDING SYSTEM VALUE VALUES (2, 'loud', 2);
INSERT INTO public.warning OVERRIDING SYSTEM VALUE VALUES (3, 'loud', 3);
INSERT INTO public.weight VALUES (1, 0, 1, 'heap', 0, '{"unsupported":"no"}');
INSERT INTO public.weight VALUES (2, 0, 1, 'heap', 0, '{"unsupported":"no"}');
INSERT INTO public.weight VALUES (3, 0, 1, 'heap', 0, '{"unsupported":"no"}');
SELECT pg_catalog.setval('public.overhead_rowid_seq', 1, false);
SELECT pg_catalog.setval('public.phrase_key_seq', 4, true);
SELECT pg_catalog.setval('public.run_key_seq', 4, true);
SELECT pg_catalog.setval('public.series_key_seq', 2, true);
SELECT pg_catalog.setval('public.visit_key_seq', 6, true);
SELECT pg_catalog.setval('public.warning_rowid_seq', 3, true);
ALTER TABLE ONLY public.annotation
    ADD CONSTRAINT annotation_pkey PRIMARY KEY (stack, label, scenario);
ALTER TABLE ONLY public.cell_count
    ADD CONSTRAINT cell_count_pkey PRIMARY KEY (run, scenario, stack, seed);
ALTER TABLE ONLY public.cell
    ADD CONSTRAINT cell_pkey PRIMARY KEY (run, scenario, stack);
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_pkey PRIMARY KEY (series, run, place);
ALTER TABLE ONLY public.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.pack
    ADD CONSTRAINT pack_pkey PRIMARY KEY (visit);
ALTER TABLE ONLY public.pair
    ADD CONSTRAINT pair_pkey PRIMARY KEY (run, scenario, client, server);
ALTER TABLE ONLY public.pair_sample
    ADD CONSTRAINT pair_sample_pkey PRIMARY KEY (visit, block, client, server);
ALTER TABLE ONLY public.phrase
    ADD CONSTRAINT phrase_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.phrase
    ADD CONSTRAINT phrase_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.raw
    ADD CONSTRAINT raw_pkey PRIMARY KEY (run);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_id_key UNIQUE (id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.sample
    ADD CONSTRAINT sample_pkey PRIMARY KEY (visit, block, stack);
ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_scenario_stack_side_metric_unit_class_key UNIQUE (scenario, stack, side, metric, unit, class);
ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_run_round_scenario_attempt_key UNIQUE (run, round, scenario, attempt);
ALTER TABLE ONLY public.warning
    ADD CONSTRAINT warning_run_text_key UNIQUE (run, text);
ALTER TABLE ONLY public.weight
    ADD CONSTRAINT weight_pkey PRIMARY KEY (run, scenario, stack, kind, process);
CREATE INDEX figure_of_run ON public.figure USING btree (run);
CREATE INDEX overhead_of_run ON public.overhead USING btree (run);
ALTER TABLE ONLY public.cell_count
    ADD CONSTRAINT cell_count_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.cell
    ADD CONSTRAINT cell_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_epoch_fkey FOREIGN KEY (epoch) REFERENCES public.phrase(key);
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_label_fkey FOREIGN KEY (label) REFERENCES public.phrase(key);
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_reason_fkey FOREIGN KEY (reason) REFERENCES public.phrase(key);
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_series_fkey FOREIGN KEY (series) REFERENCES public.series(key);
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_stack_fkey FOREIGN KEY (stack) REFERENCES public.phrase(key);
ALTER TABLE ONLY public.overhead
    ADD CONSTRAINT overhead_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.pack
    ADD CONSTRAINT pack_visit_fkey FOREIGN KEY (visit) REFERENCES public.visit(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.pair
    ADD CONSTRAINT pair_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.pair_sample
    ADD CONSTRAINT pair_sample_visit_fkey FOREIGN KEY (visit) REFERENCES public.visit(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.raw
    ADD CONSTRAINT raw_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.sample
    ADD CONSTRAINT sample_visit_fkey FOREIGN KEY (visit) REFERENCES public.visit(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.warning
    ADD CONSTRAINT warning_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
ALTER TABLE ONLY public.weight
    ADD CONSTRAINT weight_run_fkey FOREIGN KEY (run) REFERENCES public.run(key) ON DELETE CASCADE;
