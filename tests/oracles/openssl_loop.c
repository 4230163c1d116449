/* The least that measures OpenSSL: a BIO pair, one thread, one clock per side. Nothing of the lab is in it, so that the
 * lab's figures can be held against it.
 *
 *   openssl_loop DIR handshake GROUP SUITE VERIFY ITERATIONS     VERIFY: none, chain+name
 *   openssl_loop DIR transfer  GROUP SUITE BYTES  ITERATIONS     the client sends, one warm connection
 *
 * DIR holds root.der, leaf.der, intermediate.der and leaf-key.der. Prints the mean of each side in microseconds. */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char name[] = "server.tlslab.test";

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

static BIO *file(const char *dir, const char *file_name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", dir, file_name);
  BIO *bio = BIO_new_file(path, "rb");
  if (!bio) die(path);
  return bio;
}

static X509 *certificate(const char *dir, const char *file_name) {
  BIO *bio = file(dir, file_name);
  X509 *x = d2i_X509_bio(bio, NULL);
  if (!x) die(file_name);
  BIO_free(bio);
  return x;
}

static int accept_all(X509_STORE_CTX *store, void *arg) {
  (void)store, (void)arg;
  return 1;
}

static SSL_CTX *context(const SSL_METHOD *method, const char *group, const char *suite, const char *scheme) {
  SSL_CTX *ctx = SSL_CTX_new(method);
  SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
  if (SSL_CTX_set1_groups_list(ctx, group) != 1 || SSL_CTX_set_ciphersuites(ctx, suite) != 1 ||
      SSL_CTX_set1_sigalgs_list(ctx, scheme) != 1)
    die("group, suite or signature scheme");
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  return ctx;
}

/* The wire: what one end writes the other reads, without a call between. It outlives the connections, so that making
 * and freeing it is on nobody's clock. */
static BIO *client_wire, *server_wire;

static double client_us, server_us;

/* Books the time since the last call on a side's clock. */
static double last_us;
static void book(double *side) {
  double now = now_us();
  *side += now - last_us;
  last_us = now;
}

static SSL *end_new(SSL_CTX *ctx, BIO *wire) {
  SSL *ssl = SSL_new(ctx);
  BIO_up_ref(wire);
  SSL_set_bio(ssl, wire, wire);
  return ssl;
}

static int step(SSL *ssl) {
  int r = SSL_do_handshake(ssl);
  if (r != 1 && SSL_get_error(ssl, r) != SSL_ERROR_WANT_READ) die("handshake");
  return r == 1;
}

static void connect_ends(SSL_CTX *client_ctx, SSL_CTX *server_ctx, int check_name, SSL **client, SSL **server) {
  last_us = now_us();
  *client = end_new(client_ctx, client_wire);
  SSL_set_connect_state(*client);
  SSL_set_tlsext_host_name(*client, name);
  if (check_name) SSL_set1_host(*client, name);
  step(*client);
  book(&client_us);
  *server = end_new(server_ctx, server_wire);
  SSL_set_accept_state(*server);
  step(*server);
  book(&server_us);
  int client_done = step(*client);
  book(&client_us);
  int server_done = step(*server);
  book(&server_us);
  if (!client_done || !server_done) die("not done");
}

static void free_ends(SSL *client, SSL *server) {
  last_us = now_us();
  SSL_free(client);
  book(&client_us);
  SSL_free(server);
  book(&server_us);
}

static void transfer(SSL *client, SSL *server, const char *data, char *got, int bytes) {
  last_us = now_us();
  if (SSL_write(client, data, bytes) != bytes) die("write");
  book(&client_us);
  for (int n = 0; n < bytes;) {
    int r = SSL_read(server, got + n, bytes - n);
    if (r <= 0) die("read");
    n += r;
  }
  book(&server_us);
}

/* Slices of half a millisecond, as the lab has them: a side's time is the median of its slices. */
enum { MOST_SLICES = 100000 };
static double client_slices[MOST_SLICES], server_slices[MOST_SLICES];
static int slices, in_slice;

static void next_iteration(int is_last) {
  in_slice++;
  int is_over = client_us + server_us >= 500 || (is_last && slices == 0);
  if (!is_over || slices == MOST_SLICES) return;
  client_slices[slices] = client_us / in_slice;
  server_slices[slices++] = server_us / in_slice;
  client_us = server_us = in_slice = 0;
}

static void begin(void) { client_us = server_us = in_slice = slices = 0; }

static int order(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double median(double *values) {
  qsort(values, slices, sizeof *values, order);
  return (values[slices / 2] + values[(slices - 1) / 2]) / 2;
}

int main(int argc, char **argv) {
  if (argc != 7) die("usage: see the source");
  const char *dir = argv[1], *group = argv[3], *suite = argv[4];
  int transfers = !strcmp(argv[2], "transfer"), check_name = !strcmp(argv[5], "chain+name");
  long iterations = atol(argv[6]), warm_up = iterations / 10 + 1;
  int bytes = transfers ? atoi(argv[5]) : 1024;

  EVP_PKEY *key = d2i_PrivateKey_bio(file(dir, "leaf-key.der"), NULL);
  if (!key) die("leaf-key.der");
  const char *scheme = EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA ? "rsa_pss_rsae_sha256" : "ecdsa_secp256r1_sha256";
  SSL_CTX *cc = context(TLS_client_method(), group, suite, scheme);
  SSL_CTX *sc = context(TLS_server_method(), group, suite, scheme);
  SSL_CTX_set_num_tickets(sc, 0);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(cc), certificate(dir, "root.der"));
  SSL_CTX_set_verify(cc, SSL_VERIFY_PEER, NULL);
  if (!check_name) SSL_CTX_set_cert_verify_callback(cc, accept_all, NULL);
  if (SSL_CTX_use_certificate(sc, certificate(dir, "leaf-2.der")) != 1 ||
      SSL_CTX_add1_chain_cert(sc, certificate(dir, "intermediate-1.der")) != 1 || SSL_CTX_use_PrivateKey(sc, key) != 1)
    die("certificate or key");
  int room = 32 * 1024 + bytes + bytes / 64;
  if (BIO_new_bio_pair(&client_wire, room, &server_wire, room) != 1) die("wire");

  SSL *client, *server;
  for (long i = -warm_up; !transfers && i < iterations; i++) {
    if (i == 0) begin();
    connect_ends(cc, sc, check_name, &client, &server);
    free_ends(client, server);
    next_iteration(i == iterations - 1);
  }
  if (transfers) {
    char *data = malloc(bytes), *got = malloc(bytes);
    memset(data, 42, bytes); /* pages that are all one would be read faster than data */
    connect_ends(cc, sc, check_name, &client, &server);
    for (long i = -warm_up; i < iterations; i++) {
      if (i == 0) begin();
      transfer(client, server, data, got, bytes);
      next_iteration(i == iterations - 1);
    }
  }
  const char *version = OpenSSL_version(OPENSSL_VERSION);
  printf("%s client %.3f server %.3f\n", version, median(client_slices), median(server_slices));
  return 0;
}
