// Names for the types that the interfaces send and accept, taken from the generated types.
import type { components, operations } from './generated/client-interface.ts';
import type {
  components as platformComponents,
  operations as platformOperations,
} from './generated/platform-interface.ts';

type Schemas = components['schemas'];
type PlatformSchemas = platformComponents['schemas'];

export type Article = Schemas['Article'];
export type ArticleInput = Schemas['ArticleInput'];
export type ArticleStock = Schemas['ArticleStock'];
export type ArticleStockMovement = Schemas['ArticleStockMovement'];
export type LabelOutput = Schemas['LabelOutput'];
export type LabelRequest = Schemas['LabelRequest'];
export type LabelResult = Schemas['LabelResult'];
export type OperationResult = Schemas['OperationResult'];
export type Order = Schemas['Order'];
export type OrderDocument = Schemas['OrderDocument'];
export type OrderLabel = Schemas['OrderLabel'];
export type OrderLine = Schemas['OrderLine'];
export type OrderReport = Schemas['OrderReport'];
export type Parcel = Schemas['Parcel'];
export type Procurement = Schemas['Procurement'];
export type ProcurementReport = Schemas['ProcurementReport'];
export type ShippingAccount = Schemas['ShippingAccount'];
export type Tracking = Schemas['Tracking'];
export type TrackingStep = Schemas['TrackingStep'];

export type ActivityPage = PlatformSchemas['ActivityPage'];
export type AdministeredAccount = PlatformSchemas['AdministeredAccount'];
export type AdministeredActivity = PlatformSchemas['AdministeredActivity'];
export type AdministeredClient = PlatformSchemas['AdministeredClient'];
export type AdministeredKey = PlatformSchemas['AdministeredKey'];
export type AdministeredUser = PlatformSchemas['AdministeredUser'];
export type ClientPage = PlatformSchemas['ClientPage'];
export type InvitedUser = PlatformSchemas['InvitedUser'];
export type KeyPage = PlatformSchemas['KeyPage'];
export type NewKey = PlatformSchemas['NewKey'];
export type RegisteredClient = PlatformSchemas['RegisteredClient'];
export type RotatedClient = PlatformSchemas['RotatedClient'];
export type SignedIn = PlatformSchemas['SignedIn'];
export type UserPage = PlatformSchemas['UserPage'];
export type AuditPage = PlatformSchemas['AuditPage'];
export type CarrierAccountList = PlatformSchemas['CarrierAccountList'];
export type CarrierSettings = PlatformSchemas['CarrierSettings'];
export type CarrierAccountTest = PlatformSchemas['CarrierAccountTest'];
export type Demonstration = PlatformSchemas['Demonstration'];
export type DemonstrationAdvance = PlatformSchemas['DemonstrationAdvance'];
export type DemonstrationFault = PlatformSchemas['DemonstrationFault'];
export type DeskLabel = PlatformSchemas['DeskLabel'];
export type FeedLine = PlatformSchemas['FeedLine'];
export type FeedLinePage = PlatformSchemas['FeedLinePage'];
export type FeedLinesDropped = PlatformSchemas['FeedLinesDropped'];
export type FeedList = PlatformSchemas['FeedList'];
export type FeedMessage = PlatformSchemas['FeedMessage'];
export type FeedMessagePage = PlatformSchemas['FeedMessagePage'];
export type HandoverDay = PlatformSchemas['HandoverDay'];
export type Health = PlatformSchemas['Health'];
export type LabelTrial = PlatformSchemas['LabelTrial'];
export type Lineage = PlatformSchemas['Lineage'];
export type Me = PlatformSchemas['Me'];
export type OutboxAcknowledged = PlatformSchemas['OutboxAcknowledged'];
export type OutboxConsumers = PlatformSchemas['OutboxConsumers'];
export type OutboxPage = PlatformSchemas['OutboxPage'];
export type PickupPoint = PlatformSchemas['PickupPoint'];
export type PickupPoints = PlatformSchemas['PickupPoints'];
export type WaitingEntries = PlatformSchemas['WaitingEntries'];
export type Reconciliation = PlatformSchemas['Reconciliation'];
export type RequestPage = PlatformSchemas['RequestPage'];
export type Replay = PlatformSchemas['Replay'];

/** Kinds of documents that can be attached to an order. */
export type DocumentSlug = operations['attachDocument']['parameters']['path']['docSlug'];

/** The query of a list; the parameters for continuing it are left to the walk. */
export type ListQuery<Operation extends keyof operations> = Omit<
  NonNullable<operations[Operation]['parameters']['query']>,
  'cursor'
>;

/** The query of an operation of the client interface. */
export type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

/** The query of an operation of the platform interface. */
export type PlatformQueryOf<Operation extends keyof platformOperations> =
  platformOperations[Operation]['parameters']['query'];

/** The body of an operation of the platform interface. */
export type PlatformBodyOf<Operation extends keyof platformOperations> = platformOperations[Operation] extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
}
  ? Body
  : never;
