import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { resource, timestamp, uuid } from './schema.ts';

export const device = resource('id', {
  id: uuid,
  team_id: uuid,
  bot_id: uuid,
  name: z.string(),
  status: z.string(),
  type: z.string(),
  connected: z.boolean(),
  blocked: z.boolean(),
  phone_number: z.optional(z.string()),
  token: z.optional(z.string()),
  pool_url: z.url(),
  last_disconnect_reason: z.optional(z.string()),
  last_disconnect_at: z.optional(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
});

/** The response to a status read: `qr_code` while the device is not connected, `phone_number` once it is. */
export const deviceStatus = resource('device_id', {
  device_id: uuid,
  connected: z.boolean(),
  logged_in: z.boolean(),
  status: z.string(),
  qr_code: z.optional(z.string()),
  phone_number: z.optional(z.string()),
  message: z.string(),
  last_disconnect_reason: z.optional(z.string()),
  last_disconnect_at: z.optional(timestamp),
});

/** The response to connect and disconnect. */
export const deviceTransition = resource('device_id', {
  device_id: uuid,
  status: z.string(),
  message: z.string(),
});

export const createDevice = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/devices',
  summary: 'Create a device, stopped',
  body: z.strictObject({ team_id: uuid, bot_id: uuid, name: z.string().check(z.minLength(1)) }),
  data: device,
  secrets: ['token'],
  errors: ['BAD_REQUEST'],
});

export const connectDevice = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/devices/{id}/connect',
  summary: 'Start a device; its status then carries a QR code',
  repeatable: true,
  data: deviceTransition,
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
});

export const getDeviceStatus = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/devices/{id}/status',
  summary: 'Read the state of a device, with its QR code while it waits for one to be scanned',
  data: deviceStatus,
  secrets: ['qr_code'],
  errors: ['NOT_FOUND'],
});

export const disconnectDevice = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/devices/{id}/disconnect',
  summary: 'Stop a device and detach it from the platform',
  repeatable: true,
  data: deviceTransition,
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
});
