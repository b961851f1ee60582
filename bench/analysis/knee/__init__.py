"""The search for the knee: which loads to put to a server, and what they say together. `mie bench run` puts them."""
