/* The least that measures OpenSSL: memory BIOs, one thread, one clock per side. Nothing of the lab is in it, so that
 * the lab's figures can be held against it.
 *
 *   openssl_loop DIR handshake GROUP SUITE VERIFY ITERATIONS     VERIFY: none, chain+name
 *   openssl_loop DIR transfer  GROUP SUITE BYTES  ITERATIONS     the client sends, one warm connection
 *
 * DIR holds root.der, leaf.der, intermediate.der and leaf.key.der. Prints the mean of each side in microseconds. */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what) {
  fprintf(stderr, "%s\n", what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static BIO *file(const char *dir, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  BIO *bio = BIO_new_file(path, "rb");
  if (!bio) die(path);
  return bio;
}

static X509 *certificate(const char *dir, const char *name) {
  BIO *bio = file(dir, name);
  X509 *x = d2i_X509_bio(bio, NULL);
  if (!x) die(name);
  BIO_free(bio);
  return x;
}

static int accept_all(X509_STORE_CTX *store, void *arg) {
  (void)store, (void)arg;
  return 1;
}

static SSL_CTX *context(const SSL_METHOD *method, const char *group, const char *suite) {
  SSL_CTX *ctx = SSL_CTX_new(method);
  SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
  if (SSL_CTX_set1_groups_list(ctx, group) != 1 || SSL_CTX_set_ciphersuites(ctx, suite) != 1) die("group or suite");
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  return ctx;
}

struct end {
  SSL *ssl;
  BIO *in, *out;
};

static struct end end_new(SSL_CTX *ctx, int client, int check_name) {
  struct end e = {SSL_new(ctx), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem())};
  SSL_set_bio(e.ssl, e.in, e.out);
  if (!client) {
    SSL_set_accept_state(e.ssl);
    return e;
  }
  SSL_set_connect_state(e.ssl);
  SSL_set_tlsext_host_name(e.ssl, "server.tlslab.test");
  if (check_name) SSL_set1_host(e.ssl, "server.tlslab.test");
  return e;
}

/* Off the clock: what one end wrote becomes what the other reads. */
static void deliver(struct end *from, struct end *to) {
  char *data;
  long len = BIO_get_mem_data(from->out, &data);
  BIO_write(to->in, data, (int)len);
  (void)BIO_reset(from->out);
}

static int step(struct end *e) {
  int r = SSL_do_handshake(e->ssl);
  if (r != 1 && SSL_get_error(e->ssl, r) != SSL_ERROR_WANT_READ) die("handshake");
  return r == 1;
}

static double client_us, server_us;

static void connect_ends(SSL_CTX *cc, SSL_CTX *sc, int name, struct end *c, struct end *s) {
  double t0 = now_us();
  *c = end_new(cc, 1, name);
  step(c);
  double t1 = now_us();
  *s = end_new(sc, 0, 0);
  double t2 = now_us();
  deliver(c, s);
  double t3 = now_us();
  step(s);
  double t4 = now_us();
  deliver(s, c);
  double t5 = now_us();
  int client_done = step(c);
  double t6 = now_us();
  deliver(c, s);
  double t7 = now_us();
  int server_done = step(s);
  double t8 = now_us();
  if (!client_done || !server_done) die("not done");
  client_us += t1 - t0 + t6 - t5;
  server_us += t2 - t1 + t4 - t3 + t8 - t7;
}

static void free_ends(struct end *c, struct end *s) {
  double t0 = now_us();
  SSL_free(c->ssl);
  double t1 = now_us();
  SSL_free(s->ssl);
  client_us += t1 - t0;
  server_us += now_us() - t1;
}

int main(int argc, char **argv) {
  if (argc != 7) die("usage: see the source");
  const char *dir = argv[1];
  int transfer = !strcmp(argv[2], "transfer"), name = !strcmp(argv[5], "chain+name");
  long iterations = atol(argv[6]);
  SSL_CTX *cc = context(TLS_client_method(), argv[3], argv[4]), *sc = context(TLS_server_method(), argv[3], argv[4]);
  SSL_CTX_set_num_tickets(sc, 0);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(cc), certificate(dir, "root.der"));
  SSL_CTX_set_verify(cc, SSL_VERIFY_PEER, NULL);
  if (!name) SSL_CTX_set_cert_verify_callback(cc, accept_all, NULL);
  BIO *key = file(dir, "leaf.key.der");
  if (SSL_CTX_use_certificate(sc, certificate(dir, "leaf.der")) != 1 ||
      SSL_CTX_add1_chain_cert(sc, certificate(dir, "intermediate.der")) != 1 ||
      SSL_CTX_use_PrivateKey(sc, d2i_PrivateKey_bio(key, NULL)) != 1)
    die("certificate or key");

  struct end c, s;
  for (int i = 0; i < 3; i++) {
    connect_ends(cc, sc, name, &c, &s);
    if (i < 2) free_ends(&c, &s);
  }
  client_us = server_us = 0;
  if (!transfer) {
    for (long i = 0; i < iterations; i++) {
      connect_ends(cc, sc, name, &c, &s);
      free_ends(&c, &s);
    }
  } else {
    int bytes = atoi(argv[5]);
    char *data = calloc(1, bytes), *got = malloc(bytes);
    for (long i = -iterations / 10; i < iterations; i++) {
      if (i == 0) client_us = server_us = 0;
      double t0 = now_us();
      if (SSL_write(c.ssl, data, bytes) != bytes) die("write");
      double t1 = now_us();
      deliver(&c, &s);
      double t2 = now_us();
      for (int n = 0; n < bytes;) {
        int r = SSL_read(s.ssl, got + n, bytes - n);
        if (r <= 0) die("read");
        n += r;
      }
      client_us += t1 - t0;
      server_us += now_us() - t2;
    }
  }
  printf("%s client %.3f server %.3f\n", OpenSSL_version(OPENSSL_VERSION), client_us / iterations, server_us / iterations);
  return 0;
}
