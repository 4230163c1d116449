// A scenario, its keys and its certificates as the library's configuration.
#include "driver.hh"

static int unsupported(tlslab_error *error, const char *what, unsigned value) {
  return tlslab_unsupported(error, "the library, as it was built, does not have %s 0x%04x", what, value);
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  const Botan::TLS::Protocol_Version version(scenario->version);
  if (!has_version(version)) return unsupported(error, "version", scenario->version);
  if (!has_suite(scenario->suite, version)) return unsupported(error, "suite", scenario->suite);
  if (!has_group(scenario->group, version)) return unsupported(error, "group", scenario->group);
  if (!has_scheme(scenario->signature_scheme, version)) {
    return unsupported(error, "signature scheme", scenario->signature_scheme);
  }
  return guarded(error, [&] {
    auto context = std::make_unique<Context>();
    context->side = side;
    context->version = version;
    context->verification = scenario->verification;
    context->server_name = material->server_name;
    context->group = Botan::TLS::Group_Params(scenario->group);
    context->rng = std::make_shared<Botan::AutoSeeded_RNG>();
    if (scenario->defaults) {
      context->version = Botan::TLS::Protocol_Version::latest_tls_version();
      context->policy = std::make_shared<Default>();
    } else {
      context->policy = std::make_shared<Pinned>(side, *scenario);
    }
    context->credentials = credentials_of(side, *scenario, *material, *context->rng);
    remember_sessions(*context, *scenario);
    *handle = context.release();
    return TLSLAB_OK;
  });
}

void context_free(void *handle) { delete static_cast<Context *>(handle); }
