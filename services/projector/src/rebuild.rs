//! Building a generation anew from the log, beside the one that is read, and comparing the two.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mneme_model::GroupId;
use mneme_stores::{Digest, Generation};
use serde::{Deserialize, Serialize};

use crate::follow::{Follower, ends};
use crate::{Projections, ProjectorError};

/// The generation that a verification builds and drops again.
const SCRATCH: Generation = Generation::MAX;

/// The comparison of two generations of one store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoreComparison {
    /// The store.
    pub store: String,
    /// How many groups it holds something of.
    pub groups: usize,
    /// The groups whose digests differ.
    pub different: Vec<GroupId>,
}

/// The comparison of the generation that is read with one built from the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comparison {
    /// Whether all digests are equal.
    pub equal: bool,
    /// How many records the log has that projections are built from.
    pub records: u64,
    /// Each store.
    pub stores: Vec<StoreComparison>,
}

/// What a rebuild did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Rebuilt {
    /// The generation that is read now.
    pub generation: Generation,
    /// Whether the new generation took the place of the old one.
    pub activated: bool,
    /// The comparison with the old one.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl Projections {
    /// Builds a new generation while the old one answers, and changes over when their digests are
    /// equal, or in any case where `force` is set (to replace a damaged one). The old generation is
    /// kept until the next rebuild.
    pub async fn replay(&self, force: bool) -> Result<Rebuilt, ProjectorError> {
        let mut generations = self.generations.lock().await;
        let new = generations.next();
        let mut built = self.build(new).await?;
        let stopped = self.gate.write().await;
        let comparison = self.compare(&mut built).await?;
        let activated = comparison.equal || force;
        let mut unused = Some(new);
        if activated {
            unused = generations.activate(new)?;
            for follower in &built {
                self.note(follower.store.name(), &follower.positions);
            }
        }
        drop(stopped);
        if let Some(unused) = unused {
            self.drop_generation(unused).await?;
        }
        let generation = self.active.load(Ordering::Acquire);
        Ok(Rebuilt {
            generation,
            activated,
            comparison,
        })
    }

    /// Compares the generation that is read with one built from the log for the purpose.
    pub async fn verify(&self) -> Result<Comparison, ProjectorError> {
        let _one_at_a_time = self.generations.lock().await;
        let mut built = self.build(SCRATCH).await?;
        let stopped = self.gate.write().await;
        let comparison = self.compare(&mut built).await?;
        drop(stopped);
        self.drop_generation(SCRATCH).await?;
        Ok(comparison)
    }

    /// The digests of the generation that is read, by store and group.
    pub async fn digests(
        &self,
    ) -> Result<BTreeMap<&'static str, BTreeMap<GroupId, Digest>>, ProjectorError> {
        let _stopped = self.gate.write().await;
        let active = self.active.load(Ordering::Acquire);
        let mut all = BTreeMap::new();
        for store in &self.stores {
            all.insert(store.name(), store.digests(active).await?);
        }
        Ok(all)
    }

    async fn build(&self, generation: Generation) -> Result<Vec<Follower>, ProjectorError> {
        self.drop_generation(generation).await?;
        let target = ends(self.log.as_ref()).await?;
        let mut built = Vec::with_capacity(self.stores.len());
        for store in &self.stores {
            let (log, store) = (Arc::clone(&self.log), Arc::clone(store));
            let mut follower = Follower::open(log, store, generation).await?;
            while !follower.has_passed(&target) {
                follower.advance(None).await?;
            }
            built.push(follower);
        }
        Ok(built)
    }

    async fn drop_generation(&self, generation: Generation) -> Result<(), ProjectorError> {
        for store in &self.stores {
            store.drop_generation(generation).await?;
        }
        Ok(())
    }

    /// Brings both generations to the end of the log as it is now, and compares them. The gate is
    /// held by the caller, so nothing else writes to the stores.
    async fn compare(&self, built: &mut [Follower]) -> Result<Comparison, ProjectorError> {
        let target = ends(self.log.as_ref()).await?;
        let active = self.active.load(Ordering::Acquire);
        let mut stores = Vec::with_capacity(built.len());
        for new in built {
            let store = Arc::clone(&new.store);
            let mut old = Follower::open(Arc::clone(&self.log), Arc::clone(&store), active).await?;
            for follower in [&mut old, new] {
                while !follower.has_passed(&target) {
                    follower.advance(Some(&target)).await?;
                }
            }
            self.note(store.name(), &old.positions);
            let (of_old, of_new) = (
                store.digests(active).await?,
                store.digests(new.generation).await?,
            );
            let groups: BTreeSet<&GroupId> = of_old.keys().chain(of_new.keys()).collect();
            let different = groups
                .iter()
                .filter(|group| of_old.get(**group) != of_new.get(**group))
                .map(|group| (*group).clone())
                .collect();
            stores.push(StoreComparison {
                store: store.name().to_owned(),
                groups: groups.len(),
                different,
            });
        }
        Ok(Comparison {
            equal: stores.iter().all(|store| store.different.is_empty()),
            records: target.values().sum(),
            stores,
        })
    }
}
