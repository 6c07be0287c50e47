/** The contract as OpenAPI 3.1: what controllers and their classes say, and what no decorator does. */
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type Configuration, readConfiguration } from '#config/environment';
import { BODY_REFUSALS, REFUSALS } from '#kit/http/operations';
import { type ErrorCode, RETRY_ADVICE } from '#kit/http/problem';
import { errorsInWords, refusals } from '#kit/http/refusals';
import { namedSchemas } from '#kit/http/schemas';
import { loadSwagger } from '#kit/http/swagger';
import { LABELS, Label } from '#labels/route.dto';

/** In reading order. Generators name classes after a tag's name, which therefore stays; pages show its title. */
const TAGS: Record<string, [title: string, description: string]> = {
  verification: ['Verification', 'Claims and their ground truth, for integrators.'],
  keys: ['API keys', 'Keys of machines: made, listed and revoked by operators.'],
  ledger: ['Ledger', 'Past claims, findings, telemetry and what follows from them, for operators.'],
  calibration: ['Calibration', 'Thresholds of populations, and the models that they belong to.'],
  lots: ['Lots', 'Lots of small stones that come back.'],
  service: ['Service', 'The contract, health, metrics, and the read models.'],
};

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const;

export async function openApi(
  app: INestApplication,
  version: string,
  { publicUrl, contact }: Configuration = readConfiguration({}),
): Promise<OpenAPIObject> {
  const { DocumentBuilder, SwaggerModule } = await loadSwagger();
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Match verification')
    .setVersion(version)
    .setDescription(
      'Decides from infrared absorbance scans whether a polished diamond came out of a claimed rough. Every refusal has ' +
        `\`detail\` for people and \`code\` for programs, which stays as it is. ${RETRY_ADVICE}\n\n## Errors\n\n${errorsInWords()}`,
    )
    .addApiKey(header('X-Api-Key', 'issued by the operator'), 'apiKey')
    .addApiKey(
      header(
        'X-Svc-Admin',
        'operator key; or Authorization: Bearer with a token of the identity provider, where there is one',
      ),
      'operator',
    )
    .addApiKey(
      header('X-Svc-Replay-Key', 'replay token: with an API key and X-Svc-Replay, nothing else'),
      'replayToken',
    )
    .addApiKey(header('X-Svc-Token', 'token of a workspace: lots only'), 'workspace');
  builder.addServer(publicUrl || '/', publicUrl ? undefined : 'the service that shows this document');
  const document = SwaggerModule.createDocument(app, builder.build(), {
    autoTagControllers: false,
    extraModels: [Label],
  });
  document.tags = Object.entries(TAGS).map(([name, [title, description]]) => ({
    name,
    'x-displayName': title,
    description,
  }));
  if (contact === '') delete document.info.contact;
  else document.info.contact = URL.canParse(contact) ? { url: contact } : { email: contact };
  Object.assign(document.info, {
    license: { name: 'All rights reserved', identifier: 'LicenseRef-AllRightsReserved' },
  });
  Object.assign(document.components!.schemas!, { Labels: LABELS, ...namedSchemas() });
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    const { [REFUSALS]: own = [], [BODY_REFUSALS]: ofBody = [], security = [] } = operation;
    delete operation[REFUSALS];
    delete operation[BODY_REFUSALS];
    // A credential that only some of the accepted ways need is refused by none of them.
    operation.security = security;
    const [first = {}, ...others]: object[] = security;
    const schemes = Object.keys(first).filter((scheme) => others.every((other) => scheme in other));
    const codes = [...(ofBody as ErrorCode[]), ...(own as ErrorCode[])];
    // Whatever is asked, a malformed request is refused.
    if (codes.length === 0 && schemes.length === 0) codes.push('bad_request');
    Object.assign(operation.responses, { ...refusals(codes, schemes), ...operation.responses });
  }
  await showExamples(document);
  return document;
}

interface Content {
  example?: unknown;
  examples?: unknown;
}
interface Shown {
  operationId: string;
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

/** Adds a request and an answer to the operations that have them. They are read when a document is asked for. */
async function showExamples({ paths }: OpenAPIObject): Promise<void> {
  const { EXAMPLES } = await import('./examples.js');
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods as Record<string, Shown>))) {
    const example = EXAMPLES[operation.operationId];
    if (!example) continue;
    const asked = operation.requestBody?.content['application/json'];
    if (asked && !asked.examples && example.body !== undefined) asked.example = example.body;
    const [answered] = Object.values(operation.responses[example.status]?.content ?? {});
    if (answered && example.answer !== undefined) answered.example = example.answer;
  }
}
