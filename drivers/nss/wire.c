/* The lowest layer of a connection's stack of file descriptors: it has no buffer. */
#include <prnetdb.h>

#include "driver.h"

static PRDescIdentity layer;
static PRIOMethods methods;

static tlslab_wire *secret(PRFileDesc *fd) { return (tlslab_wire *)fd->secret; }

static PRInt32 wire_receive(PRFileDesc *fd, void *data, PRInt32 len, PRIntn flags, PRIntervalTime timeout) {
  (void)flags, (void)timeout;
  size_t count = tlslab_wire_read(secret(fd), data, (size_t)len);
  if (count > 0) return (PRInt32)count;
  PR_SetError(PR_WOULD_BLOCK_ERROR, 0);
  return -1;
}

static PRInt32 wire_send(PRFileDesc *fd, const void *data, PRInt32 len, PRIntn flags, PRIntervalTime timeout) {
  (void)flags, (void)timeout;
  if (tlslab_wire_write(secret(fd), data, (size_t)len, 0)) return len;
  PR_SetError(PR_BUFFER_OVERFLOW_ERROR, 0);
  return -1;
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

/* Called by a server whose client has no certificate. The library raises the error. */
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

PRFileDesc *wire_descriptor(tlslab_wire *wire) {
  PRFileDesc *fd = PR_CreateIOLayerStub(layer, &methods);
  if (fd != NULL) fd->secret = (PRFilePrivate *)wire;
  return fd;
}

tlslab_wire *wire_of(PRFileDesc *ssl) { return secret(ssl->lower); }
