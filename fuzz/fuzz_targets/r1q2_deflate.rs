#![cfg_attr(fuzzing, no_main)]

deltaproof_fuzz::target!("r1q2_deflate");
