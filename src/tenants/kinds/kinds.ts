import type { DeclaredTenant } from '../declared-documents.ts';
import { bot } from './bot.ts';
import { device } from './device.ts';
import { document } from './document.ts';
import type { DeclaredObject } from './kind-context.ts';
import { team } from './team.ts';

/** Returns the objects of a tenant, each after those that it needs. */
export function objectsOf(tenant: DeclaredTenant): readonly DeclaredObject[] {
  const { documents, bots, devices } = tenant;
  return [team(tenant), ...documents.map(document), ...bots.map(bot), ...devices.map(device)];
}
