#![cfg_attr(fuzzing, no_main)]

deltaproof_fuzz::target!("demos");
