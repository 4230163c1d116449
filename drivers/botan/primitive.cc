// One cryptographic operation alone, called as the library's own TLS calls it.
#include <stdexcept>
#include <vector>

#include <botan/aead.h>
#include <botan/data_src.h>
#include <botan/dl_group.h>
#include <botan/hash.h>
#include <botan/mac.h>
#include <botan/pk_keys.h>
#include <botan/pkcs8.h>
#include <botan/pubkey.h>
#include <botan/tls_callbacks.h>
#include <botan/x509cert.h>

#include "driver.hh"

namespace {

using Bytes = std::span<const uint8_t>;

void append(tlslab_buffer *output, Bytes data) {
  if (!tlslab_append(output, data.data(), data.size())) throw std::length_error("the result has no room");
}

Bytes of(const tlslab_buffer *buffer) { return {buffer->data, buffer->len}; }

struct Primitive {
  virtual ~Primitive() = default;
  virtual void run(int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) = 0;
  virtual void collect(tlslab_buffer *) {}
};

std::string hash_name(uint16_t hash) { return hash == TLSLAB_SHA384 ? "SHA-384" : "SHA-256"; }

struct Digest final : Primitive {
  explicit Digest(const tlslab_assignment &a) : hash(Botan::HashFunction::create_or_throw(hash_name(a.algorithm))) {}

  void run(int, uint64_t, tlslab_buffer *input, tlslab_buffer *output) override {
    const size_t length = hash->output_length();
    hash->update(of(input));
    hash->final(std::span(output->data + output->len, length));
    output->len += length;
  }

  std::unique_ptr<Botan::HashFunction> hash;
};

// On the clock: the key is taken in.
struct Code final : Primitive {
  explicit Code(const tlslab_assignment &a)
      : mac(Botan::MessageAuthenticationCode::create_or_throw("HMAC(" + hash_name(a.algorithm) + ")")),
        key(a.key.data, a.key.data + a.key.len) {}

  void run(int, uint64_t, tlslab_buffer *input, tlslab_buffer *output) override {
    const size_t length = mac->output_length();
    mac->set_key(key);
    mac->update(of(input));
    mac->final(std::span(output->data + output->len, length));
    output->len += length;
  }

  std::unique_ptr<Botan::MessageAuthenticationCode> mac;
  std::vector<uint8_t> key;
};

// The library works in its own kind of memory, into which its TLS copies data, too; it stays there.
struct Aead final : Primitive {
  explicit Aead(const tlslab_assignment &a)
      : sealing(mode(a, Botan::Cipher_Dir::Encryption)), opening(mode(a, Botan::Cipher_Dir::Decryption)),
        header(a.header, a.header + a.header_len) {
    memcpy(iv, a.iv, sizeof iv);
    fragment.reserve(a.bytes + 64);
  }

  static std::unique_ptr<Botan::AEAD_Mode> mode(const tlslab_assignment &a, Botan::Cipher_Dir direction) {
    const char *name = a.algorithm == TLSLAB_AES_128_GCM ? "AES-128/GCM"
                       : a.algorithm == TLSLAB_AES_256_GCM ? "AES-256/GCM"
                                               : "ChaCha20Poly1305";
    auto made = Botan::AEAD_Mode::create_or_throw(name, direction);
    made->set_key(Bytes(a.key.data, a.key.len));
    return made;
  }

  void run(int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *) override {
    Botan::AEAD_Mode &aead = operation == TLSLAB_AEAD_SEAL ? *sealing : *opening;
    uint8_t nonce[12];
    tlslab_nonce(iv, sequence, nonce);
    fragment.assign(input->data, input->data + input->len);
    aead.set_associated_data(header);
    aead.start(nonce, sizeof nonce);
    aead.finish(fragment);
    has_result = true;
  }

  void collect(tlslab_buffer *output) override {
    if (has_result) append(output, fragment);
    has_result = false;
  }

  std::unique_ptr<Botan::AEAD_Mode> sealing, opening;
  std::vector<uint8_t> header;
  uint8_t iv[12];
  Botan::secure_vector<uint8_t> fragment;
  bool has_result = false;
};

// The callbacks of the library's TLS: by default they do everything with the library's own keys.
struct Calls final : Botan::TLS::Callbacks {
  void tls_emit_data(Bytes) override {}
  void tls_record_received(uint64_t, Bytes) override {}
  void tls_alert(Botan::TLS::Alert) override {}
};

struct Signature final : Primitive {
  Signature(const tlslab_assignment &a, const tlslab_material &material)
      : scheme(a.algorithm), message(a.message.data, a.message.data + a.message.len) {
    if (material.chain_len == 0 || !scheme.format()) throw std::invalid_argument("no such signature");
    Botan::DataSource_Memory der(material.key.data, material.key.len);
    own = Botan::PKCS8::load_key(der);
    leaf = Botan::X509_Certificate(material.chain[0].data, material.chain[0].len).subject_public_key();
  }

  void run(int operation, uint64_t, tlslab_buffer *input, tlslab_buffer *output) override {
    const std::vector<uint8_t> given(input->data, input->data + input->len);
    if (operation == TLSLAB_SIGN) {
      append(output, calls.tls_sign_message(*own, rng, scheme.padding_string(), *scheme.format(), given));
    } else if (!calls.tls_verify_message(*leaf, scheme.padding_string(), *scheme.format(), message, given)) {
      throw std::runtime_error("the signature is wrong");
    }
  }

  Botan::TLS::Signature_Scheme scheme;
  std::vector<uint8_t> message;
  std::unique_ptr<Botan::Private_Key> own;
  std::unique_ptr<Botan::Public_Key> leaf;
  Botan::AutoSeeded_RNG rng;
  Calls calls;
};

struct Exchange final : Primitive {
  explicit Exchange(const tlslab_assignment &a) : group(a.algorithm) {}

  void run(int operation, uint64_t, tlslab_buffer *input, tlslab_buffer *output) override {
    const std::vector<uint8_t> share(input->data, input->data + input->len);
    switch (operation) {
      case TLSLAB_KEY_GENERATION: return generate(output);
      case TLSLAB_KEY_AGREEMENT:
        return append(output, calls.tls_ephemeral_key_agreement(group, *own, share, rng, policy));
      case TLSLAB_ENCAPSULATE: {
        const auto made = calls.tls_kem_encapsulate(group, share, rng, policy);
        append(output, made.encapsulated_shared_key());
        return append(output, made.shared_key());
      }
      default: return append(output, calls.tls_kem_decapsulate(group, *kem, share, rng, policy));
    }
  }

  void generate(tlslab_buffer *output) {
    if (group.wire_code() >> 8 == 0x11) {
      kem = calls.tls_kem_generate_key(group, rng);
      append(output, kem->raw_public_key_bits());
    } else {
      own = calls.tls_generate_ephemeral_key(group, rng);
      append(output, own->public_value());
    }
  }

  Botan::TLS::Group_Params group;
  std::unique_ptr<Botan::PK_Key_Agreement_Key> own;
  std::unique_ptr<Botan::Private_Key> kem;
  Botan::AutoSeeded_RNG rng;
  Botan::TLS::Policy policy;
  Calls calls;
};

std::unique_ptr<Primitive> make(const tlslab_assignment &a, const tlslab_material &material) {
  switch (a.operation) {
    case TLSLAB_HASH: return std::make_unique<Digest>(a);
    case TLSLAB_HMAC: return std::make_unique<Code>(a);
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN: return std::make_unique<Aead>(a);
    case TLSLAB_SIGN:
    case TLSLAB_VERIFY: return std::make_unique<Signature>(a, material);
    default: return std::make_unique<Exchange>(a);
  }
}

}  // namespace

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  return guarded(error, [&] {
    *object = make(*assignment, *material).release();
    return TLSLAB_OK;
  });
}

int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  return guarded(error, [&] {
    static_cast<Primitive *>(object)->run(operation, sequence, input, output);
    return TLSLAB_OK;
  });
}

void primitive_free(void *object) { delete static_cast<Primitive *>(object); }

void primitive_collect(void *object, tlslab_bytes, tlslab_buffer *output) {
  static_cast<Primitive *>(object)->collect(output);
}
