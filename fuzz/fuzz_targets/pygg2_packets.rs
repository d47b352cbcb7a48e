#![cfg_attr(fuzzing, no_main)]

deltaproof_fuzz::target!("pygg2_packets");
