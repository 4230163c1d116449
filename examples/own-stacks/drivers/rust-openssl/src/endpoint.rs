//! Both sides of a connection behind the kit's contract.

use std::mem::swap;

use openssl::error::ErrorStack;
use openssl::pkey::PKey;
use openssl::ssl::{
    ErrorCode, Ssl, SslContext, SslContextBuilder, SslMethod, SslSessionCacheMode, SslStream, SslVerifyMode,
    SslVersion,
};
use openssl::x509::X509;
use tlslab_driver_kit::protocol::{CipherSuite, ProtocolVersion, Scenario, Side, SideFacts, Verification};
use tlslab_driver_kit::{Buffer, Endpoint, EndpointError, Identity, Material, NoSession, Progress, Unready};

use crate::identity::{self, GROUPS, MOST_TICKETS, SIGNATURES, SUITES};
use crate::wire::Wire;

pub struct RustOpenSsl;

pub struct Context {
    ssl: SslContext,
    side: Side,
    server_name: String,
    checks_name: bool,
}

impl Endpoint for RustOpenSsl {
    type Context = Context;
    type Connection = SslStream<Wire>;
    type Session = NoSession;

    fn identity(&self) -> Identity {
        identity::identity()
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
        let mut ssl = pinned(scenario)?;
        match side {
            Side::Client => trust(&mut ssl, scenario.verification, material)?,
            Side::Server => identify(&mut ssl, material)?,
        }
        Ok(Context {
            ssl: ssl.build(),
            side,
            server_name: material.server_name.clone(),
            checks_name: scenario.verification == Verification::ChainAndName,
        })
    }

    fn create(&self, context: &Context) -> Result<SslStream<Wire>, EndpointError> {
        let mut ssl = Ssl::new(&context.ssl)?;
        match context.side {
            Side::Server => ssl.set_accept_state(),
            Side::Client => {
                ssl.set_connect_state();
                ssl.set_hostname(&context.server_name)?;
                if context.checks_name {
                    ssl.param_mut().set_host(&context.server_name)?;
                }
            }
        }
        Ok(SslStream::new(ssl, Wire::new())?)
    }

    fn handshake(
        &self,
        stream: &mut SslStream<Wire>,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        stream.get_mut().receive(input);
        swap(&mut stream.get_mut().output, output);
        let outcome = stream.do_handshake();
        swap(&mut stream.get_mut().output, output);
        match outcome {
            Ok(()) => Ok(Progress::Done),
            Err(error) if error.code() == ErrorCode::WANT_READ => Ok(Progress::Continues),
            Err(error) => Err(error.into()),
        }
    }

    fn send(
        &self,
        stream: &mut SslStream<Wire>,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        swap(&mut stream.get_mut().output, output);
        // Without the mode for partial writes it is all or nothing.
        let outcome = stream.ssl_write(plaintext);
        swap(&mut stream.get_mut().output, output);
        Ok(outcome.map(|_| ())?)
    }

    fn receive(
        &self,
        stream: &mut SslStream<Wire>,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        stream.get_mut().receive(input);
        while !stream.get_ref().is_drained() || stream.ssl().pending() > 0 {
            match stream.ssl_read(plaintext.room()) {
                Ok(count) => plaintext.advance(count),
                Err(error) if error.code() == ErrorCode::WANT_READ => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn facts(&self, stream: &SslStream<Wire>) -> SideFacts {
        let ssl = stream.ssl();
        SideFacts {
            version: (ssl.version2() == Some(SslVersion::TLS1_3)).then_some(ProtocolVersion::TLS13),
            suite: ssl.current_cipher().map(|suite| CipherSuite(u16::from_be_bytes(suite.protocol_id()))),
            resumed: Some(ssl.session_reused()),
            peer_certificate: ssl.peer_certificate().and_then(|leaf| leaf.to_der().ok()),
            // The library does not tell this program its group, its scheme and its tickets.
            ..SideFacts::default()
        }
    }
}

fn pinned(scenario: &Scenario) -> Result<SslContextBuilder, Unready> {
    let group = GROUPS.iter().find(|(group, _)| *group == scenario.group);
    let suite = SUITES.iter().find(|(suite, _)| *suite == scenario.suite);
    let signature = SIGNATURES.iter().find(|(key, _)| *key == scenario.signature);
    let (Some((_, group)), Some((_, suite)), Some((_, signature)), ProtocolVersion::TLS13, 0..=MOST_TICKETS) =
        (group, suite, signature, scenario.version, scenario.tickets)
    else {
        return Err(Unready::Unsupported("the driver does not pin this".to_owned()));
    };
    let mut ssl = SslContext::builder(SslMethod::tls())?;
    ssl.set_min_proto_version(Some(SslVersion::TLS1_3))?;
    ssl.set_max_proto_version(Some(SslVersion::TLS1_3))?;
    ssl.set_groups_list(group)?;
    ssl.set_ciphersuites(suite)?;
    ssl.set_sigalgs_list(signature)?;
    ssl.set_session_cache_mode(SslSessionCacheMode::OFF);
    ssl.set_num_tickets(scenario.tickets as usize)?;
    Ok(ssl)
}

fn trust(ssl: &mut SslContextBuilder, level: Verification, material: &Material) -> Result<(), ErrorStack> {
    if level == Verification::None {
        ssl.set_verify(SslVerifyMode::NONE);
        return Ok(());
    }
    ssl.set_verify(SslVerifyMode::PEER);
    ssl.cert_store_mut().add_cert(X509::from_der(&material.root)?)
}

fn identify(ssl: &mut SslContextBuilder, material: &Material) -> Result<(), ErrorStack> {
    for (at, der) in material.chain.iter().enumerate() {
        let link = X509::from_der(der)?;
        if at == 0 { ssl.set_certificate(&link)? } else { ssl.add_extra_chain_cert(link)? }
    }
    ssl.set_private_key(PKey::private_key_from_der(&material.key)?.as_ref())
}
