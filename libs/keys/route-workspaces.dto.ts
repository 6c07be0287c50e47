/** Workspaces of the lot product in the contract. */
import { IsString } from 'class-validator';
import { type Static, Type } from 'typebox';
import { Text } from '#kit/http/dto';
import { string } from '#kit/views/shapes';

export class NewWorkspace {
  @IsString()
  @Text('1 to 64 printable characters; it stays taken', { minLength: 1, maxLength: 64 })
  name!: string;
}

export const createdWorkspace = Type.Object(
  {
    name: string('its name'),
    token: string('for X-Svc-Token; shown this once'),
    note: string('a reminder to store it'),
  },
  { $id: 'CreatedWorkspace' },
);
export type CreatedWorkspace = Static<typeof createdWorkspace>;
