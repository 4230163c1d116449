//! Connections, from their first byte to their last. Idle clients are not waited for.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tower::ServiceExt;

/// How long a connection may take until it has sent the headers of a request, the first one or the next.
const HEADERS_WITHIN: Duration = Duration::from_secs(10);
/// How long answers may take that are under way when the service stops.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// How long no connection is accepted when the system cannot, as with too many open files.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// Answers requests until a future ends, and then those that are under way.
pub(crate) async fn serve(listener: TcpListener, router: Router, until: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS_WITHIN);
    let graceful = GracefulShutdown::new();
    let mut until = pin!(until);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut until => break,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(EXHAUSTED).await;
            continue;
        };
        let router = router.clone();
        let answer = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            router.clone().oneshot(request)
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), answer));
        // A peer that breaks off is no error of the service.
        tokio::spawn(async move { drop(connection.await) });
    }
    drop(listener);
    let _ = tokio::time::timeout(LAST_ANSWERS, graceful.shutdown()).await;
}
