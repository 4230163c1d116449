#include "wire.h"

#include <prerror.h>
#include <prnetdb.h>
#include <string.h>

static PRDescIdentity layer;
static PRIOMethods methods;

static struct wire *secret(PRFileDesc *fd) { return (struct wire *)fd->secret; }

static PRInt32 wire_receive(PRFileDesc *fd, void *data, PRInt32 len, PRIntn flags, PRIntervalTime timeout) {
  (void)flags, (void)timeout;
  struct wire *wire = secret(fd);
  if (wire->input.len == 0) {
    PR_SetError(PR_WOULD_BLOCK_ERROR, 0);
    return -1;
  }
  size_t count = (size_t)len;
  if (count > wire->input.len) count = wire->input.len;
  memcpy(data, wire->input.data, count);
  wire->input.data += count;
  wire->input.len -= count;
  return (PRInt32)count;
}

static PRInt32 wire_send(PRFileDesc *fd, const void *data, PRInt32 len, PRIntn flags, PRIntervalTime timeout) {
  (void)flags, (void)timeout;
  struct wire *wire = secret(fd);
  tlslab_buffer *output = wire->output;
  if (output == NULL) {
    wire->unsent += (size_t)len;
    return len;
  }
  if ((size_t)len > output->capacity - output->len) {
    wire->overflowed = 1;
    PR_SetError(PR_BUFFER_OVERFLOW_ERROR, 0);
    return -1;
  }
  memcpy(output->data + output->len, data, (size_t)len);
  output->len += (size_t)len;
  return len;
}

/* A client asks who it is connected to. */
static PRStatus wire_peer(PRFileDesc *fd, PRNetAddr *address) {
  (void)fd;
  return PR_InitializeNetAddr(PR_IpAddrLoopback, 443, address);
}

static PRStatus wire_option(PRFileDesc *fd, PRSocketOptionData *data) {
  (void)fd;
  if (data->option != PR_SockOpt_Nonblocking) return PR_FAILURE;
  data->value.non_blocking = PR_TRUE;
  return PR_SUCCESS;
}

static PRStatus wire_set_option(PRFileDesc *fd, const PRSocketOptionData *data) {
  (void)fd, (void)data;
  return PR_SUCCESS;
}

/* Done by a server whose client has no certificate to show. The error comes by itself. */
static PRStatus wire_shutdown(PRFileDesc *fd, PRIntn how) {
  (void)fd, (void)how;
  return PR_SUCCESS;
}

static PRStatus wire_close(PRFileDesc *fd) {
  fd->secret = NULL;
  fd->dtor(fd);
  return PR_SUCCESS;
}

void wire_prepare(void) {
  layer = PR_GetUniqueIdentity("tlslab wire");
  methods = *PR_GetDefaultIOMethods();
  methods.recv = wire_receive;
  methods.send = wire_send;
  methods.getpeername = wire_peer;
  methods.getsocketoption = wire_option;
  methods.setsocketoption = wire_set_option;
  methods.shutdown = wire_shutdown;
  methods.close = wire_close;
}

PRFileDesc *wire_descriptor(struct wire *wire) {
  PRFileDesc *fd = PR_CreateIOLayerStub(layer, &methods);
  if (fd != NULL) fd->secret = (PRFilePrivate *)wire;
  return fd;
}

struct wire *wire_of(PRFileDesc *ssl) { return secret(ssl->lower); }
