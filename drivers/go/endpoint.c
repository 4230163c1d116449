#include "endpoint.h"

#include "_cgo_export.h"

/* Go knows no const, so that its functions differ from the contract's in that alone. */
const tlslab_endpoint go_endpoint = {
    .abi = TLSLAB_ABI,
    .identity = goIdentity,
    .context = (int (*)(int, const tlslab_scenario *, const tlslab_material *, void **, tlslab_error *))goContext,
    .context_free = goContextFree,
    .create = goCreate,
    .connection_free = goConnectionFree,
    .handshake = goHandshake,
    .send = goSend,
    .receive = goReceive,
    .facts = goFacts,
    .session = goSession,
    .session_free = goSessionFree,
    .resume = goResume,
    .session_copy = goSessionCopy,
    .primitive = (int (*)(const tlslab_assignment *, const tlslab_material *, void **, tlslab_error *))goPrimitive,
    .primitive_run = goPrimitiveRun,
    .primitive_free = goPrimitiveFree,
};
