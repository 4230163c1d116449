//! Signing in, and the actions on a page of those who are signed in. Each is a form that works without a
//! script.

use askama::Template;

use super::crumbs::crumbs;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::Target;

/// Buttons of those who are signed in, for a page's job or pull request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actions {
    /// The token that shows that a form comes from a page of this session.
    pub csrf: String,
    /// The buttons; may be empty.
    pub buttons: Vec<Action>,
}

/// A button.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Action {
    /// Its label.
    pub text: String,
    /// The address of its form.
    pub address: String,
    /// The commit that it is about; empty if it is about a job alone.
    pub commit: String,
    /// A text to look at first, and its address on the code host.
    pub look: Option<(String, String)>,
}

#[derive(Template)]
#[template(path = "service/actions.html")]
struct Buttons<'m> {
    actions: &'m Actions,
}

impl Actions {
    /// As markup; empty without buttons.
    pub(crate) fn html(&self) -> Html {
        match self.buttons.is_empty() {
            true => Html::default(),
            false => Html::of(&Buttons { actions: self }),
        }
    }
}

/// The contents of the page for signing in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignIn {
    /// Why it did not work; empty before the first try.
    pub problem: String,
    /// The path of the page to go to then.
    pub next: String,
    /// Name, scopes and CSRF token of the session.
    pub account: Option<[String; 3]>,
}

#[derive(Template)]
#[template(path = "service/sign_in.html")]
struct Body<'m> {
    model: &'m SignIn,
    overview: Link,
}

/// The page for signing in, and for signing out.
#[must_use]
pub fn sign_in(model: &SignIn, links: &dyn Links) -> Page {
    let title = if model.account.is_some() { "Signed in" } else { "Sign in" };
    let body = Body { model, overview: Link::new(links, &Target::Overview, "Overview") };
    Page {
        title: title.to_owned(),
        crumbs: crumbs(links, None, title),
        body: Html::of(&body),
        ..Page::default()
    }
}
