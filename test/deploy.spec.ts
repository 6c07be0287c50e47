/** The manifests of deploy/ against the schemas of Kubernetes' API, and against the programs and pages that they speak of. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { parse, parseAllDocuments } from 'yaml';
import { readConfiguration } from '#config/environment';
import { KNOWN_NAMES } from '#config/names';
import { packageVersion } from '#config/version';
import { contract } from '../apps/server/test/contract.js';
import { workerCommand } from '../apps/worker/options.js';
import { commandOf } from './node-flags.js';

// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests examine
type Manifest = any;

const page = readFileSync('docs/operate/kubernetes.md', 'utf8');
const manifests: { file: string; manifest: Manifest }[] = readdirSync('deploy').flatMap((file) =>
  parseAllDocuments(readFileSync(join('deploy', file), 'utf8')).map((document) => ({
    file,
    manifest: document.toJS(),
  })),
);
const all = manifests.map(({ manifest }) => manifest);
const ofKind = (...kinds: string[]) => all.filter(({ kind }) => kinds.includes(kind));
const workloads = ofKind('Deployment', 'StatefulSet');
const containerOf = ({ spec }: Manifest) => spec.template.spec.containers[0];
const nameOf = ({ metadata }: Manifest): string => metadata.name;
const titled = (those: Manifest[]) => those.map((one): [string, Manifest] => [`${one.kind} ${nameOf(one)}`, one]);

/** Members that no schema asked for: Kubernetes would refuse or drop them. */
async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { [manifest.kind]: Kind } = await import(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`);
  const asked = new Set<string>();
  const watched = (value: object, path: string): object =>
    new Proxy(value, {
      get(target, name) {
        const found = Reflect.get(target, name);
        if (typeof name !== 'string' || !Object.hasOwn(target, name)) return found;
        asked.add(`${path}/${name}`);
        return typeof found === 'object' && found !== null ? watched(found, `${path}/${name}`) : found;
      },
    });
  const paths = (value: unknown, path: string): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, one]) => [`${path}/${name}`, ...paths(one, `${path}/${name}`)]);
  try {
    Kind.prototype.validate.call(watched(manifest, ''));
  } catch (error) {
    return [(error as Error).message];
  }
  return paths(manifest, '').filter((path) => !asked.has(path));
}

describe('the schemas', () => {
  it.each(titled(all))('know all of %s', async (_, manifest) => {
    expect(await faultsOf(manifest)).toEqual([]);
  });

  it('name what is wrong, missing or unknown', async () => {
    const [workload] = workloads;
    const changed = (change: (copy: Manifest) => void) => {
      const copy = structuredClone(workload);
      change(copy);
      return faultsOf(copy);
    };
    expect(await changed(({ spec }) => delete spec.selector)).toEqual([expect.stringContaining('selector')]);
    expect(await changed((copy) => (containerOf(copy).ports[0].containerPort = 'http'))).toEqual([
      expect.stringContaining('containerPort'),
    ]);
    expect(await changed((copy) => (containerOf(copy).readynessProbe = {}))).toEqual([
      '/spec/template/spec/containers/0/readynessProbe',
    ]);
  });
});

describe('names that manifests have of each other', () => {
  it('are of what is there', () => {
    const labels = new Map(workloads.map((one) => [nameOf(one), one.spec.template.metadata.labels]));
    for (const [name, own] of labels) expect(own['app.kubernetes.io/name']).toBe(name);
    for (const { spec } of workloads)
      expect(spec.selector.matchLabels).toEqual({
        'app.kubernetes.io/name': spec.template.metadata.labels['app.kubernetes.io/name'],
      });
    const budgets = ofKind('PodDisruptionBudget').map(
      ({ spec }) => spec.selector.matchLabels['app.kubernetes.io/name'],
    );
    expect(budgets.sort()).toEqual([...labels.keys()].sort());
    for (const service of ofKind('Service')) {
      const [workload] = workloads.filter((one) => nameOf(one) === service.spec.selector['app.kubernetes.io/name']);
      expect(containerOf(workload).ports.map(({ name }: { name: string }) => name)).toContain(
        service.spec.ports[0].targetPort,
      );
    }
    for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
      const { apiVersion, kind, name } = spec.scaleTargetRef;
      const [workload] = workloads.filter((one) => nameOf(one) === name);
      expect(workload).toMatchObject({ apiVersion, kind });
      // Else each `kubectl apply` would set it back.
      expect(workload.spec).not.toHaveProperty('replicas');
    }
  });

  it('are of volumes, and of secrets that the page makes', () => {
    const made = [...page.matchAll(/--from-(?:literal|file)=([\w-]+)=/g)].map(([, key]) => key);
    for (const { spec } of workloads) {
      const { volumes, containers } = spec.template.spec;
      const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata.name);
      const named = [...volumes.map(({ name }: Manifest) => name), ...claimed];
      expect(containers[0].volumeMounts.map(({ name }: Manifest) => name).sort()).toEqual(named.sort());
      const keys = [
        ...containers[0].env.flatMap(({ valueFrom }: Manifest) => valueFrom?.secretKeyRef ?? []),
        ...volumes.flatMap(({ secret }: Manifest) => secret?.items ?? []),
      ].map(({ key }) => key);
      expect(made).toEqual(expect.arrayContaining(keys));
    }
  });
});

describe('the programs of the containers', () => {
  const [{ data: settings }] = ofKind('ConfigMap');
  const environmentOf = (workload: Manifest): Record<string, string> => {
    const { env, envFrom } = containerOf(workload);
    const addresses = { 'eventstore-url': 'esdb://store:2113?tls=true', 'redis-url': 'rediss://redis:6379' };
    return {
      ...(envFrom && settings),
      ...Object.fromEntries(
        env.map(({ name, value, valueFrom }: Manifest) => [
          name,
          value ?? addresses[valueFrom.secretKeyRef.key as keyof typeof addresses],
        ]),
      ),
    };
  };

  it.each(titled(workloads))('is this version of the image, with settings that exist: %s', (_, workload) => {
    expect(containerOf(workload).image).toBe(`match-verification-service:${packageVersion()}`);
    const ours = Object.keys(environmentOf(workload)).filter((name) => name.startsWith('MVS_'));
    expect(ours.filter((name) => !KNOWN_NAMES.includes(name))).toEqual([]);
  });

  it('are replicas by role, whose configuration is read', () => {
    const secrets: Record<string, string> = {
      '/run/secrets/mvs/operator-keys': `olga:${'a'.repeat(64)}`,
      '/run/secrets/mvs/replay-token': 'b'.repeat(64),
      '/run/secrets/mvs/log-secret': randomBytes(32).toString('hex'),
    };
    const roles = workloads
      .filter((one) => containerOf(one).name === 'api')
      .map((one) => {
        expect(containerOf(one).command).toEqual(commandOf('serve'));
        const { items } = one.spec.template.spec.volumes.find(({ secret }: Manifest) => secret).secret;
        expect(items.map(({ path }: Manifest) => `/run/secrets/mvs/${path}`)).toEqual(Object.keys(secrets));
        const environment = { HOST: '0.0.0.0', ...environmentOf(one) };
        return readConfiguration(environment, (path) => secrets[path]).role;
      });
    expect(roles.sort()).toEqual(['claims', 'operators']);
  });

  it('are workers, by a command line that is understood', () => {
    const workers = workloads.filter((one) => containerOf(one).name === 'worker');
    expect(workers.map(nameOf).sort()).toEqual(['mvs-worker', 'mvs-worker-gpu']);
    for (const worker of workers) {
      expect(containerOf(worker).command).toEqual(commandOf('worker'));
      const flags = workerCommand().parse(containerOf(worker).args, { from: 'user' }).opts();
      expect(flags.concurrency).toBeGreaterThan(flags.batch);
    }
  });

  it('are probed where they answer', () => {
    const compose = parse(readFileSync('docker-compose.yml', 'utf8'));
    const { paths } = contract as OpenAPIObject;
    for (const workload of workloads) {
      const { startupProbe, livenessProbe, readinessProbe, name } = containerOf(workload);
      for (const probe of [startupProbe, livenessProbe, readinessProbe].filter(Boolean)) {
        if (name === 'api') expect(paths[probe.httpGet.path]).toHaveProperty('get');
        else expect(['CMD', ...probe.exec.command]).toEqual(compose.services.worker.healthcheck.test);
      }
    }
  });
});

describe('the folder of a replica', () => {
  it.each(titled(workloads.filter((one) => containerOf(one).name === 'api')))(
    'outlives its pod: %s',
    (_, { kind, spec }) => {
      const { mountPath } = containerOf({ spec }).volumeMounts.find(({ name }: Manifest) => name === 'data');
      expect([kind, mountPath, spec.volumeClaimTemplates.map(nameOf)]).toEqual(['StatefulSet', '/data', ['data']]);
    },
  );

  const hasFlock = spawnSync('flock', ['--version']).status === 0;
  (hasFlock ? it : it.skip)('outlives its container, and is no other one\u2019s, with Compose', async () => {
    const { services, volumes } = parse(readFileSync('docker-compose.yml', 'utf8'));
    for (const name of ['api', 'operators']) {
      expect(services[name].volumes).toEqual([`${name}:/data`]);
      expect(volumes).toHaveProperty(name);
    }
    const data = mkdtempSync(join(tmpdir(), 'mvs-folders-'));
    const [program, ...args] = services.api.entrypoint.map((one: string) =>
      one.replaceAll('$$', '$').replaceAll('/data', data),
    );
    const says = ['-e', 'console.log(process.env.MVS_DATA_DIR); setInterval(() => {}, 1000)'];
    const begun: ChildProcess[] = [];
    const begin = async () => {
      const child = spawn(program, [...args, process.execPath, ...says]);
      begun.push(child);
      const [said] = await once(child.stdout, 'data');
      return { child, folder: String(said).trim().slice(data.length) };
    };
    try {
      const [first, second] = [await begin(), await begin()];
      expect([first.folder, second.folder]).toEqual(['/1', '/2']);
      first.child.kill('SIGTERM');
      await once(first.child, 'close');
      expect((await begin()).folder).toBe('/1');
    } finally {
      for (const child of begun) child.kill('SIGKILL');
      rmSync(data, { recursive: true, force: true });
    }
  });
});

describe('the ingresses', () => {
  const rules = ofKind('Ingress').flatMap(({ spec }) => spec.rules[0].http.paths as Manifest[]);
  /** As Kubernetes has it: the longest path wins, an exact one before a prefix. */
  const serviceOf = (path: string): string => {
    const fits = rules.filter(({ path: of, pathType }) =>
      pathType === 'Exact' ? of === path : path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`),
    );
    fits.sort((a, b) => b.path.length - a.path.length || (a.pathType === 'Exact' ? -1 : 1));
    return fits[0].backend.service.name;
  };
  const routes = Object.entries((contract as OpenAPIObject).paths).map(([path, operations]): [string, string] => {
    const isOpen = ({ security }: { security?: Record<string, unknown>[] }) =>
      !security?.length || security.some((needed) => !('operator' in needed));
    return [
      path.replaceAll(/\{[^}]+\}/g, 'x'),
      Object.values(operations as object).some(isOpen) ? 'claims' : 'operators',
    ];
  });

  it.each([...routes, ['/api/v1/docs/reference.js', 'claims'], ['/api/v1/nothing', 'operators']] as const)(
    'send %s to replicas for %s',
    (path, role) => {
      expect(serviceOf(path)).toBe(`mvs-${role}`);
      expect(ofKind('Service').map(nameOf)).toContain(`mvs-${role}`);
    },
  );
});
