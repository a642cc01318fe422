import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../../shared/platform/log.ts';
import { createChannelProfiles } from '../../../../workers/ingress/notifications/channel-profiles.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const POLL_MS = 5;
const GOOD = JSON.stringify({
  notificationConfigurations: [
    {
      realmId: 'platrealm',
      'provider-configurations': [
        { url: 'smtps://127.0.0.1:465', provider: 'SMTP', 'communication-channel': 'email' },
      ],
    },
  ],
});

async function followed() {
  const file = path.join(scratchFolder(), 'providers.json');
  writeFileSync(file, GOOD);
  const profiles = await createChannelProfiles({
    ...systemPorts,
    configFile: file,
    log: silentLog,
    pollMs: POLL_MS,
  });
  onTestFinished(() => profiles.close());
  const becomes = (status: string) => expect.poll(() => profiles.health().status).toBe(status);
  return { file, profiles, becomes };
}

it('recovers once a missing provider configuration is restored', async () => {
  const { file, profiles, becomes } = await followed();
  renameSync(file, `${file}.away`);
  await becomes('degraded');
  expect(profiles.of('email')).toBeDefined();
  renameSync(`${file}.away`, file);
  await becomes('ready');
  rmSync(file);
  await becomes('degraded');
  writeFileSync(file, GOOD);
  await becomes('ready');
});

it('stays degraded with an invalid provider configuration until its text changes', async () => {
  const { file, profiles, becomes } = await followed();
  writeFileSync(file, '{');
  await becomes('degraded');
  const staysDegraded = async () => {
    for (let look = 0; look < 10; look++) {
      await sleep(POLL_MS);
      expect(profiles.health().status).toBe('degraded');
    }
  };
  utimesSync(file, 1, 1);
  await staysDegraded();
  renameSync(file, `${file}.away`);
  await staysDegraded();
  renameSync(`${file}.away`, file);
  await staysDegraded();
  writeFileSync(file, GOOD);
  await becomes('ready');
});
