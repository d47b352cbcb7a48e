//! What a scenario can ask of an end beside what every protocol knows.

kit::numbered_table! {
    /// The verbs, by number.
    VERBS: [Verb];
    VERB_ACKNOWLEDGE = "acknowledge" to Client ["ahead"], "acknowledge its newest number plus `ahead`, a snapshot that it does not hold";
}
