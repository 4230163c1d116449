//! The server's settings.

use std::path::Path;

use crate::gitea::error::GiteaError;
use crate::gitea::programs::random_secret;

/// The text of `app.ini`: no mail, no registration, no actions, no SSH; webhooks only to the loopback
/// address.
pub(super) fn settings(folder: &Path, port: u16) -> Result<String, GiteaError> {
    let (secret, internal) = (random_secret()?, random_secret()?);
    let folder = folder.display();
    Ok(format!(
        "APP_NAME = scratch\n\
         RUN_MODE = prod\n\
         WORK_PATH = {folder}\n\
         [server]\n\
         HTTP_ADDR = 127.0.0.1\n\
         HTTP_PORT = {port}\n\
         DOMAIN = 127.0.0.1\n\
         ROOT_URL = http://127.0.0.1:{port}/\n\
         STATIC_ROOT_PATH = {folder}\n\
         APP_DATA_PATH = {folder}/data\n\
         DISABLE_SSH = true\n\
         LFS_START_SERVER = false\n\
         OFFLINE_MODE = true\n\
         [database]\n\
         DB_TYPE = sqlite3\n\
         PATH = {folder}/data/gitea.db\n\
         [repository]\n\
         ROOT = {folder}/repositories\n\
         DEFAULT_BRANCH = main\n\
         [security]\n\
         INSTALL_LOCK = true\n\
         SECRET_KEY = {secret}\n\
         INTERNAL_TOKEN = {internal}\n\
         [service]\n\
         DISABLE_REGISTRATION = true\n\
         ENABLE_NOTIFY_MAIL = false\n\
         [oauth2]\n\
         ENABLED = false\n\
         [openid]\n\
         ENABLE_OPENID_SIGNIN = false\n\
         [mailer]\n\
         ENABLED = false\n\
         [webhook]\n\
         ALLOWED_HOST_LIST = loopback\n\
         DELIVER_TIMEOUT = 5\n\
         [actions]\n\
         ENABLED = false\n\
         [packages]\n\
         ENABLED = false\n\
         [indexer]\n\
         ISSUE_INDEXER_TYPE = db\n\
         [queue]\n\
         TYPE = channel\n\
         [session]\n\
         PROVIDER = memory\n\
         [picture]\n\
         DISABLE_GRAVATAR = true\n\
         [cron.update_checker]\n\
         ENABLED = false\n\
         [api]\n\
         MAX_RESPONSE_ITEMS = 50\n\
         [log]\n\
         MODE = file\n\
         LEVEL = Info\n\
         ROOT_PATH = {folder}/log\n"
    ))
}
