import { argument, eachOf, nameOf, option } from '../../cli/options.ts';

/** The bot that a command is about. */
export const botArgument = argument('the bot, by name or id', nameOf('bot'));

/** The bots that a command is about, one after the other. */
export const botsArgument = eachOf('the bot, by name or id', nameOf('bot'));

/** The team that its name is looked for in, if several have a bot of that name. */
export const teamOption = option(
  '--team <team>',
  'team to look for the name in, by name or id',
  nameOf('team'),
);
