/* The subcommands of abbe. */
#ifndef ABBE_TOOL_COMMAND_H
#define ABBE_TOOL_COMMAND_H

/* Each gets its own arguments (argv[0] is the name of the subcommand) and returns an exit status. */
int command_filter(int argc, char **argv);
int command_combine(int argc, char **argv);
int command_transform(int argc, char **argv);
int command_spectrum(int argc, char **argv);
int command_texture(int argc, char **argv);
int command_tile(int argc, char **argv);
int command_scene(int argc, char **argv);
int command_view(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_list(int argc, char **argv);

#endif
