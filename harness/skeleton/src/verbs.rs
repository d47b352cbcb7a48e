//! What a scenario can ask of an end beside what every protocol knows.

kit::numbered_table! {
    /// The verbs, by number.
    VERBS: [Verb];
    VERB_ACKNOWLEDGE = "acknowledge" to Client ["ahead"], "acknowledge a snapshot so far ahead of its newest, which it does not hold";
}
