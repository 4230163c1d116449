//! Key exchange with the lab as the peer.

use tlslab_protocol::{Group, PrimitiveFacts};

use super::expect::{differ, due};
use super::peer::{agree, peer_share, well_formed};

/// The length of the secret of a share, bytes: 32 of ML-KEM and 32 of a curve.
const SECRET: usize = 64;

pub(super) fn generated(group: Group, facts: &PrimitiveFacts) -> Result<&'static str, String> {
    due(facts.output != facts.again, || "two calls gave the same share".to_owned())?;
    well_formed(group, &facts.output)?;
    well_formed(group, &facts.again)?;
    if group.encapsulates() {
        taken_out(&facts.secret, &facts.decapsulated)?;
        return Ok(
            "two calls gave two shares, and the second one's key took out a secret that was put into its share",
        );
    }
    differ("the peer's share", &peer_share(group), &facts.input)?;
    differ("the secret", &agree(group, &facts.again)?, &facts.secret)?;
    Ok("two calls gave two shares, and the lab agreed with the second one's key on a secret")
}

pub(super) fn agreed(group: Group, facts: &PrimitiveFacts) -> Result<&'static str, String> {
    differ("the peer's share", &peer_share(group), &facts.input)?;
    differ("the secret", &agree(group, &facts.share)?, &facts.output)?;
    Ok("the lab comes to the same secret from its own key and the share")
}

pub(super) fn encapsulated(group: Group, facts: &PrimitiveFacts) -> Result<&'static str, String> {
    differ("the peer's share", &peer_share(group), &facts.input)?;
    for both in [&facts.output, &facts.again] {
        let at = both.len().checked_sub(SECRET).ok_or("less than a secret came out")?;
        let (share, secret) = both.split_at(at);
        differ("the secret", &agree(group, share)?, secret)?;
    }
    due(facts.output != facts.again, || "two calls gave the same share".to_owned())?;
    Ok("the lab takes the same secret out of the share, and a second call gave another")
}

pub(super) fn decapsulated(group: Group, facts: &PrimitiveFacts) -> Result<&'static str, String> {
    well_formed(group, &facts.share)?;
    taken_out(&facts.secret, &facts.output)?;
    Ok("the secret that the library put into a share for its own key came out again")
}

fn taken_out(put_in: &[u8], came_out: &[u8]) -> Result<(), String> {
    due(put_in.len() == SECRET, || format!("a secret of {} bytes, not {SECRET}", put_in.len()))?;
    due(put_in == came_out, || "the secret that came out is not the one that was put in".to_owned())
}
