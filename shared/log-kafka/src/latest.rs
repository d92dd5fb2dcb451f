//! Questions that many ask at once. Who asks while the question is under way waits for it, and shares
//! the answer of the next one: each answer is to a question that was put after its asker came.

use std::future::Future;
use std::time::Instant;

use mneme_log::LogError;
use tokio::sync::Mutex;

/// The last answer to one question.
pub(crate) struct Latest<T>(Mutex<Option<(Instant, T)>>);

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Latest<T> {
    /// The answer, no older than this call.
    pub async fn get<F: Future<Output = Result<T, LogError>>>(
        &self,
        ask: impl FnOnce() -> F,
    ) -> Result<T, LogError> {
        let came = Instant::now();
        let mut last = self.0.lock().await;
        if let Some((put, answer)) = &*last
            && *put >= came
        {
            return Ok(answer.clone());
        }
        let put = Instant::now();
        let answer = ask().await?;
        *last = Some((put, answer.clone()));
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn many_at_once_ask_twice() {
        let (latest, asked) = (Arc::new(Latest::default()), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let (latest, asked) = (Arc::clone(&latest), Arc::clone(&asked));
                tokio::spawn(async move {
                    latest
                        .get(|| async {
                            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                            Ok(asked.fetch_add(1, Ordering::SeqCst))
                        })
                        .await
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert!(asked.load(Ordering::SeqCst) <= 2);
        let again = latest.get(|| async { Ok(7) }).await;
        assert_eq!(again.unwrap(), 7);
    }
}
