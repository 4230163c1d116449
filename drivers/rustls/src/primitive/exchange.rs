//! Key exchange by the provider's groups.

use tlslab_driver_kit::protocol::{Group, Operation};
use tlslab_driver_kit::{Buffer, EndpointError, Primitive, Unready};

use crate::api::operations::single;
use crate::api::{KxGroup, StartedKeyExchange};
use crate::provider::BUILT_IN;

/// A group, and one's own key. An agreement uses the key up.
struct Exchange {
    group: KxGroup,
    own: Option<StartedKeyExchange>,
}

pub fn new(group: Group) -> Result<Box<dyn Primitive>, Unready> {
    Ok(Box::new(Exchange { group: BUILT_IN.group(group)?, own: None }))
}

impl Primitive for Exchange {
    fn run(
        &mut self,
        operation: Operation,
        _: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        match operation {
            Operation::KeyGeneration => {
                let own = self.own.insert(self.group.start()?);
                output.append(own.pub_key());
            }
            Operation::Encapsulate => {
                let completed = self.group.start_and_complete(input)?;
                output.append(&completed.pub_key);
                output.append(completed.secret.secret_bytes());
            }
            _ => {
                let own = self.own.take().ok_or_else(|| EndpointError("there is no own key".to_owned()))?;
                output.append(single(own).complete(input)?.secret_bytes());
            }
        }
        Ok(())
    }
}
