#include "server/cli/command_line.h"

int main(int argc, char** argv) { return mie::run_command_line(argc, argv); }
