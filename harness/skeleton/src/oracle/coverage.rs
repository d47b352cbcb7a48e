//! What a run can show.

kit::coverage_points! {
    /// The server sent a snapshot.
    SnapshotSent,
    /// And another one to the same client.
    SecondSnapshotSent,
    /// A snapshot with a base was sent.
    DeltaSent,
    /// A delta changed something.
    ChangeSent,
    /// A client sent an acknowledgement.
    AckSent,
    /// A client acknowledged a snapshot.
    SnapshotAcknowledged,
    /// A client was compared after it applied a snapshot with changes.
    AppliedCompared,
    /// A client was compared after it received a snapshot that is older than the one shown.
    OldCompared,
}
