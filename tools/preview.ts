/** The contract without a running service. */
import 'reflect-metadata';
import type { InjectionToken, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { providersOf } from '#kit/http/provided';
import { serverOf } from '../apps/server/app.js';
import { openApi } from '../apps/server/contract/openapi.js';
import { resources } from '../apps/server/resources.js';

const metadata = <T>(key: string, of: object): T[] => Reflect.getMetadata(key, of) ?? [];

/** A controller, with what guards it and its methods. */
const injectedInto = (controller: Type): Type[] => [
  controller,
  ...[controller, ...Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).map(({ value }) => value)]
    .filter((one) => typeof one === 'function')
    .flatMap((one) => ['__guards__', '__interceptors__'].flatMap((key) => metadata<Type>(key, one))),
];

/** What a constructor asks for: the class of a parameter, or the token that stands before it. */
function tokensOf(one: Type): InjectionToken[] {
  const named = metadata<{ index: number; param: InjectionToken }>('self:paramtypes', one);
  return metadata<InjectionToken>('design:paramtypes', one).map(
    (type, i) => named.find(({ index }) => index === i)?.param ?? type,
  );
}

/** In preview Nest makes no instance of anything. */
export async function previewOf(version: string): Promise<OpenAPIObject> {
  const tokens = new Set(resources.flatMap(injectedInto).flatMap(tokensOf));
  const providers = providersOf(
    [],
    [...tokens].map((token) => [token, undefined]),
  );
  const app = await NestFactory.create<NestFastifyApplication>(serverOf(providers), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return openApi(app, version);
}
