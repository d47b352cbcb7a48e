CFLAGS = -std=c99 -O2 -g -Wall -Wextra -pedantic

my_shim: my_shim.c deltaproof_shim.h
	$(CC) $(CFLAGS) my_shim.c -o $@
