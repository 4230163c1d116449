//! A scenario as rustls's configuration.

use std::sync::Arc;

use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache};
use rustls::{ClientConfig, ServerConfig};
use tlslab_driver_kit::protocol::{Resumption, Scenario, ServerKeyShare, Side};
use tlslab_driver_kit::{Ability, Material, Unready};

use crate::latest::Latest;
use crate::provider::{BUILT_IN, PreparedGroup, prepare};
use crate::sessions::{Session, remember};
use crate::{api, identity};

/// Sessions that a server keeps: one is in use.
const MOST_SESSIONS: usize = 256;

/// A side's configuration, shared by its connections.
pub enum Context {
    Client(Arc<ClientConfig>, api::ServerName, Arc<Latest<Session>>),
    Server(Arc<ServerConfig>, Option<&'static PreparedGroup>),
}

impl Context {
    /// Pins what the scenario pins.
    pub fn new(side: Side, scenario: &Scenario, material: &Material) -> Result<Self, Unready> {
        identity::check(Ability::Version(scenario.version))?;
        identity::check(Ability::Verification(scenario.verification))?;
        if material.client.is_some() {
            identity::check(Ability::MutualAuthentication)?;
        }
        match side {
            Side::Client => client(scenario, material),
            Side::Server => server(scenario, material),
        }
    }
}

fn client(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    if scenario.defaults {
        return default_client(scenario, material);
    }
    let mut config = api::client_config(BUILT_IN.pinned_client(scenario)?, scenario, material)?;
    let latest = Arc::new(Latest::default());
    config.enable_early_data = scenario.early_data > 0;
    remember(&mut config, &latest, scenario);
    Ok(Context::Client(Arc::new(config), api::server_name(&material.server_name)?, latest))
}

/// As examples/src/bin/simpleclient.rs of the library: a provider, roots and a name. Sessions are forgotten.
fn default_client(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let mut config = api::client_config(BUILT_IN.by_default(), scenario, material)?;
    let latest = Arc::new(Latest::forgetful());
    remember(&mut config, &latest, scenario);
    Ok(Context::Client(Arc::new(config), api::server_name(&material.server_name)?, latest))
}

fn server(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    if scenario.defaults {
        // As examples/src/bin/simpleserver.rs of the library: a provider, a chain and a key.
        let config = api::server_config(BUILT_IN.by_default(), scenario, material)?;
        return Ok(Context::Server(Arc::new(config), None));
    }
    let mut provider = BUILT_IN.pinned(scenario)?;
    let prepared = match scenario.server_key_share {
        ServerKeyShare::Fresh => None,
        ServerKeyShare::Pregenerated => {
            identity::check(Ability::PregeneratedKeyShares)?;
            prepare(&mut provider)
        }
    };
    let mut config = api::server_config(provider, scenario, material)?;
    // rustls accepts early data only where it keeps the sessions of its tickets and forgets each when it is taken up.
    let keeps_sessions = scenario.resumption == Resumption::SessionId || scenario.early_data > 0;
    config.session_storage = match keeps_sessions {
        true => ServerSessionMemoryCache::new(MOST_SESSIONS),
        false => Arc::new(NoServerSessionStorage {}),
    };
    config.max_early_data_size = scenario.early_data;
    if scenario.tickets > 0 {
        identity::check(Ability::Tickets(scenario.tickets))?;
    }
    api::set_tickets(&mut config, scenario.tickets as usize);
    if let (Some(ticketer), true) = (BUILT_IN.ticketer, scenario.tickets > 0 && !keeps_sessions) {
        config.ticketer = ticketer()?;
    }
    Ok(Context::Server(Arc::new(config), prepared))
}
