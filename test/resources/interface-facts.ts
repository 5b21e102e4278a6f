// What the interface says of its records and endpoints, as facts: every name, type, length and mark, in its order.
// docs/interface.md tells the same clause by clause.

/** What the interface says of one field. */
export interface FieldFacts {
  readonly type: 'text' | 'number' | 'int32' | 'int64' | 'boolean' | 'date-time' | 'list' | 'object';
  /** Name of the nested record, where one is named. */
  readonly of: string | null;
  /** Least and greatest length of a text; null where none is listed. */
  readonly min: number | null;
  readonly max: number | null;
  /** Said of movements alone. */
  readonly nullable: boolean;
  /** Absent from the create request. */
  readonly readOnly: boolean;
}

export interface RecordFacts {
  /** Clause that lists the fields. */
  readonly clause: string;
  /** By name, in the order of the interface. */
  readonly fields: Readonly<Record<string, FieldFacts>>;
}

const plain = { of: null, min: null, max: null, nullable: false, readOnly: false } as const;
const number: FieldFacts = { ...plain, type: 'number' };
const int32: FieldFacts = { ...plain, type: 'int32' };
const int64: FieldFacts = { ...plain, type: 'int64' };
const flag: FieldFacts = { ...plain, type: 'boolean' };
const instant: FieldFacts = { ...plain, type: 'date-time' };
/** A text without a listed length. */
const anyText: FieldFacts = { ...plain, type: 'text' };

/** `text(30)`: at most 30 characters; `text(1, 30)`: 1 to 30. */
function text(...bounds: readonly [max: number] | readonly [min: number, max: number]): FieldFacts {
  const [min, max] = bounds.length === 1 ? [null, bounds[0]] : bounds;
  return { ...plain, type: 'text', min, max };
}

/** @param of null: the interface does not say what the elements look like */
function list(of: string | null): FieldFacts {
  return { ...plain, type: 'list', of };
}

/** The interface gives the record no name; it goes by the name that its field has. */
function object(): FieldFacts {
  return { ...plain, type: 'object' };
}

function nullable(field: FieldFacts): FieldFacts {
  return { ...field, nullable: true };
}

function readOnly(field: FieldFacts): FieldFacts {
  return { ...field, readOnly: true };
}

/** The records of lists, and those nested in them (2.1 to 2.10). */
export const recordFacts: Readonly<Record<string, RecordFacts>> = {
  ArticleStockMovement: {
    clause: '2.1',
    fields: {
      id: int64,
      dateCreation: instant,
      dateLastUpdate: nullable(instant),
      activityCode: nullable(text(3)), stockUnitID: nullable(text(3)),
      movementTimestamp: nullable(instant),
      articleReference: nullable(text(17)),
      movedQuantity: nullable(int32),
      movementDirection: nullable(text(1)),
      movementCode: nullable(text(10)),
      movementReason: nullable(text(3)),
      gradeCode: nullable(anyText),
      dateProcessed: nullable(instant),
    },
  },
  ArticleStock: {
    clause: '2.2',
    fields: {
      id: number,
      dateCreation: instant, dateLastUpdate: instant,
      activityCode: text(3),
      stockImageExtractionDate: instant,
      articleReference: text(17),
      stockUnitID: text(3),
      totalStockQuantity: number, notStartedProductionQuantity: number, inProgressPreparationQuantity: number,
      totalAvailableForSaleQuantity: number, totalBlockedQuantity: number, logisticsDefinedPCB: number,
      articleLotNumber: text(35),
      oldestReceptionDate: instant, newestReceptionDate: instant, oldestSaleDeadlineDate: instant,
      newestSaleDeadlineDate: instant,
      gradeCode: anyText,
      dateProcessed: instant,
    },
  },
  Article: {
    clause: '2.3',
    fields: {
      activityCode: text(1, 3),
      activityName: text(1, 30),
      articleReference: text(1, 16),
      longArticleDescription: text(1, 60),
      shortArticleDescription: text(1, 30),
      netWeightPerUVC: number,
      dateCreated: instant, dateLastUpdated: instant,
      doReferenceCode: text(30),
      nomenclatureManaged: flag,
      articleType: number, grossWeightPerUVC: number, lengthPerUVC: number, widthPerUVC: number, heightPerUVC: number,
      quantityPerPCB: number, quantityPerSPCB: number, grossWeightPerPCB: number, lengthPerPCB: number,
      widthPerPCB: number, heightPerPCB: number, grossWeightPerSPCB: number, lengthPerSPCB: number,
      widthPerSPCB: number, heightPerSPCB: number,
      articleCategory: text(25), articleRotationClass: text(25), receptionMethod: text(25), storageMethod: text(25),
      preferredStorageZone: text(25), preferredStorageAisle: text(25), storageClass: text(25),
      preparationMethod: text(25),
      articlePackaging: text(30),
      supplierArticleReference: text(50),
      supplierArticleDescription: text(100),
      supplierCode: text(14),
      supplierArticleReference2: text(20), supplierArticleReference3: text(20), supplierArticleReference4: text(20),
      supplierArticleReference5: text(20),
      brandCode: text(8),
      articleAnalysisCode: text(1),
      articlePrice1: number, articlePrice2: number, articlePrice3: number, articlePrice4: number,
      articleFamily: text(10),
      articleSubFamily: text(20), articleBrand: text(20),
      articleSize: text(10),
      articleColor: text(30),
      articleTypology: text(20),
      modelReference: text(100), modelDescription: text(100),
      saleExpirationDate: flag,
      receptionDeadlineInDays: number, shippingDeadlineInDays: number,
      serializedArticle: flag, lotTrackedArticle: flag, miniArticlesManaged: flag, quantityDeclarationManaged: flag,
      fragileArticle: flag,
      customField1: instant, customField2: instant,
      customField3: text(256), customField4: text(256), customField5: text(256), customField6: text(256),
      customField7: text(256), customField8: text(256), customField9: text(256), customField10: text(256),
      customField11: text(256),
      customField12: number, customField13: number, customField14: number, customField15: number, customField16: number,
      customField17: instant, customField18: instant,
      uvcQuantityPerCartonOrPalette: number, weightPerCartonOrPalette: number, lengthPerCartonOrPalette: number,
      widthPerCartonOrPalette: number, heightPerCartonOrPalette: number,
      customsCode: text(15), countryOfOriginCode: text(15),
      topHazardousMaterial: flag, topAlcoholArticle: flag, topConsignedArticle: flag, disableProduit: flag,
      barcodes: list('Barcode'),
      logisticalVariants: list('LogisticalVariant'),
      alcool: readOnly(object()),
      id: readOnly(anyText),
    },
  },
  Barcode: {
    clause: '2.4',
    fields: {
      code: anyText,
      isPrimary: flag,
      barcodeUnit: anyText,
      barcodeQuantity: number,
      logisticalVariantCode: anyText,
      disabled: flag,
      id: readOnly(anyText),
    },
  },
  Alcool: {
    clause: '2.5',
    fields: {
      articleReference: anyText, regieCodes: anyText,
      degree: number, capacity: number,
      itemType: anyText, categoryOfTaxation: anyText, customsBrandName: anyText, customsClassification: anyText,
      id: anyText,
    },
  },
  LogisticalVariant: {
    clause: '2.6',
    fields: {
      articleReference: anyText,
      id: readOnly(anyText),
      dateCreation: instant, dateLasteUpdate: instant,
      numeroObjet: number,
      logisticalVariantCode: anyText, lvTypeCode: anyText, subpackagingLvCode: anyText,
      baseLv: flag, packagingLv: flag, managementLv: flag,
      quantityInSubpackagingLv: number,
      quantityInBaseLv: anyText,
      netWeight: number, grossWeight: number, height: number, width: number, depth: number, volume: number,
      standardPrice: number,
      checkAtReceipt: flag, repackingAtReceipt: flag,
      hdTypeCode: anyText, locationSizeCode: anyText, storageGroupCode: anyText, bulkStorageGroupCode: anyText,
      preparationGroupCode: anyText,
      subpackagingLvNbConstitutingLayer: number, heightLayer: number,
      kit: flag, newLv: flag, disableVl: flag,
      rfxDateLastUpdate: instant, rfxDateCreation: instant,
      codeUserCreation: anyText, codeUserLastUpdate: anyText, lastEvent: anyText,
      specif1: instant, specif2: instant, specif3: instant, specif4: instant,
      specif5: anyText, specif6: anyText, specif7: anyText, specif8: anyText,
      specif9: number, specif10: number, specif11: number, specif12: number,
      barcodes: list('Barcode'),
    },
  },
  Order: {
    clause: '2.7',
    fields: {
      id: anyText,
      internalId: number,
      activityCode: text(1, 3),
      activityName: text(1, 30),
      orderUniqueID: text(1, 20),
      customerOrderPlacementDate: instant,
      deliveryAddressLastname: text(1, 30),
      deliveryAddressAddress1: text(1, 35),
      deliveryAddressPostalCode: text(1, 20),
      deliveryAddressCity: text(1, 50),
      deliveryAddressCountry: text(1, 2),
      deliveryAddressPhone: text(1, 20),
      deliveryAddressEmail: text(1, 100),
      transportServiceCode: text(1, 50),
      dateCreation: instant, dateLastUpdate: instant,
      subActivityCode: text(3),
      operationType: text(1),
      clientTransmittedFlowName: text(80),
      svcConnectIntegrationDate: instant,
      customerOrderID: text(30), idcdefi: text(30),
      prepOrderGroupID: text(14),
      commandChannelDescription: text(50), commandType: text(50),
      expectedPrepDate: instant,
      ownerStockCode: text(3),
      doManagedCustomerNumber: text(50),
      deliveryAddressTitle: text(5),
      deliveryAddressFirstname: text(30),
      deliveryAddressCompany: text(50),
      deliveryAddressAddress2: text(35), deliveryAddressAddress3: text(35),
      deliveryAddressFax: text(20),
      deliveryAddressNameOption: text(50),
      deliveryComment: text(200),
      billingAddressTitle: text(20),
      billingAddressLastname: text(50), billingAddressFirstname: text(50), billingAddressCompany: text(50),
      billingAddressAddress1: text(50), billingAddressAddress2: text(50), billingAddressAddress3: text(50),
      billingAddressPostalCode: text(10),
      billingAddressCity: text(50),
      billingAddressCountry: text(2),
      billingAddressPhone: text(20), billingAddressFax: text(20),
      billingAddressMail: text(100),
      customerInvoiceNumber: text(30),
      invoiceIssuanceDate: instant,
      paymentMode: text(200),
      paymentCurrency: text(30),
      currencyRateToEuro: number, discountAmount: number, discountRate: number, totalInvoiceHT: number,
      totalInvoiceTTC: number, shippingCost: number, shippingVATCode: number,
      invoiceNotes1: text(200), invoiceNotes2: text(200), invoiceNotes3: text(200),
      intracommunityVATNumber: text(20),
      transportCode: text(50),
      deliveryPickupPointID: text(25),
      pickupPointCountryCode: text(2),
      carrierImposed: flag,
      transportInstruction: text(50),
      counterReimbursementRequested: flag,
      counterReimbursementAmount: number, totalAdValoremAmount: number,
      saturdayDeliveryRequired: flag, recipientNotification: flag,
      saturdayDeliveryDate: instant,
      transportRecipientName: text(100), transportRecipientContact: text(100),
      transportAppointmentWithCustomer: text(100), transportSenderName: text(100),
      orderProcessingPriority: number,
      requiresParcelShelter: flag, requiresGiftPackaging: flag,
      shippingLabelMessage: text(200), specificGiftMessage: text(200), preparationInstructions: text(200),
      documentLanguage: text(10),
      orderBreakCriterion: text(5),
      customField1: text(200), customField2: text(200),
      customField3: text(256), customField4: text(256), customField5: text(256), customField6: text(256),
      customField7: text(256), customField8: text(256), customField9: text(256), customField10: text(256),
      customField11: text(256),
      customField12: instant, customField13: instant, customField14: instant, customField15: instant,
      incotrm: text(10),
      orderEntries: list('OrderLine'),
      orderSubOrders: list('SubOrder'),
    },
  },
  OrderLine: {
    clause: '2.7',
    fields: {
      orderLineID: anyText, articleReference: anyText,
      quantityToPrepare: number, id: number,
      dateCreation: instant, dateLastUpdate: instant,
      lineItemUniqueID: number, idlignelog: number,
      ownerStockCode: anyText,
      remainingQuantityToDeliver: number, unitPriceHT: number, unitPriceTTC: number, articleVATRate: number,
      articleVATAmount: number,
      attachedLotNumber: anyText, articleNatureCN23: anyText,
      articleCRBTAmount: number,
      articleCN23CustomsCode: anyText, articleOriginCountry: anyText, articleInsuredAmount: anyText,
      articlePreparationComment: anyText, articleComment: anyText, articleBLDesignation: anyText,
      articleHasSerialNumber: flag, articleHasDLUO: flag, articleHasLotNumber: flag,
      articleRequiresIngredientLabel: flag,
      lineBreakCriterion: anyText,
      customField1: number, customField2: number,
      customField3: instant, customField4: instant,
      customField5: anyText, customField6: anyText, customField7: anyText, customField8: anyText, customField9: anyText,
      customField10: anyText, customField11: anyText, customField12: anyText, gradeCode: anyText,
      allowPackagingSubstitution: flag,
    },
  },
  SubOrder: {
    clause: '2.7',
    fields: {
      id: number,
      dateCreation: instant, dateLastUpdate: instant,
      clientOrderID: anyText,
      clientOrderPlacementDate: instant,
      subOrderHeader: anyText, subOrderClientMessage: anyText, subOrderBreakCriterion: anyText,
      customField1: instant, customField2: instant,
      customField3: number, customField4: number,
      customField5: anyText, customField6: anyText, customField7: anyText, customField8: anyText, customField9: anyText,
      customField10: anyText, customField11: anyText, customField12: anyText,
      orderEntries: list('OrderLine'),
    },
  },
  OrderReport: {
    clause: '2.8',
    fields: {
      id: number,
      dateCreation: instant, dateLastUpdate: instant, dateProcessed: instant,
      activityCode: text(3), subActivityCode: text(3),
      orderUniqueID: text(32),
      prepClosedState: number,
      firstPackageCreationDate: instant, lastPackageLoadDate: instant,
      shippedHandlingUnitCount: number, packedPackageCount: number, packedPaletteCount: number, totalPrepWeight: number,
      totalPrepVolume: number,
      prepOrderGroupID: text(14),
      nomflux: text(50),
      lignes: list('ReportLine'),
      parcels: list('Parcel'),
    },
  },
  ReportLine: {
    clause: '2.8',
    fields: {
      id: number,
      dateCreation: instant, dateLastUpdate: instant,
      orderLineID: anyText, articleReference: anyText,
      orderedQuantity: number, preparedQuantity: number,
      dateProcessed: instant,
      gradeCode: anyText,
    },
  },
  Parcel: {
    clause: '2.8',
    fields: {
      id: number,
      dateCreation: instant, dateLastUpdate: instant,
      packageNumber: anyText, palletNumber: anyText, shipmentTrackingNumber: anyText, palletSSCC: anyText,
      packageSSCC: anyText, trpcont: anyText, transportService: anyText, transportLoadNumber: anyText,
      packageCreationDate: instant, packageLoadDate: instant,
      packageRank: number, actualPackageWeight: number, shippedPackageVolume: number,
      activityPackagingCode: anyText, svcWaveID: anyText,
      seqColis: number,
      trackingurl: anyText,
      entries: list('ParcelEntry'),
    },
  },
  ParcelEntry: {
    clause: '2.8',
    fields: {
      id: number,
      dateCreation: instant, dateLastUpdate: instant,
      parcelId: number,
      articleReference: anyText,
      shippedQuantityInPackage: number,
      properties: list(null),
    },
  },
  Procurement: {
    clause: '2.9',
    fields: {
      activityCode: text(1, 3),
      activityName: text(1, 30),
      uniqueProcurementID: text(1, 20),
      expectedReceiptDate: instant,
      procurementEntries: list('ProcurementLine'),
      dateCreation: instant, dateLastUpdate: instant,
      supplierOrderNumberDO: text(30),
      ownerCode: text(3), procurementTypeCode: text(3),
      procurementGroup: text(14),
      procurementGroupDescription: text(80),
      supplierCode: text(13),
      supplierName: text(30),
      customField1: text(200), customField2: text(200),
      customField3: text(256), customField4: text(256), customField5: text(256), customField6: text(256),
      customField7: text(256), customField8: text(256),
      id: anyText,
    },
  },
  ProcurementLine: {
    clause: '2.9',
    fields: {
      lineID: anyText, articleReference: anyText,
      expectedQuantity: number, id: number,
      activityCode: anyText,
      dateCreation: instant, dateLastUpdate: instant,
      uniqueProcurementID: anyText, supplierOrderNumberDO: anyText, receptionUnitOfMeasure: anyText,
      articlePriceAtReception: number,
      expectedLotNumber: anyText,
      announcedArticleDate: instant, articleShippingDeadline: instant,
      articlePCB: number, articleSPCB: number,
      lineMessage: anyText, customField1: anyText, customField2: anyText, customField3: anyText, customField4: anyText,
      customField5: anyText, customField6: anyText, customField7: anyText, customField8: anyText,
      dateProcessed: instant,
      gradeCode: anyText,
    },
  },
  ProcurementReport: {
    clause: '2.10',
    fields: {
      id: number,
      activityCode: text(3),
      dateCreation: instant, dateLastUpdate: instant, dateProcessed: instant,
      receptionUniqueID: text(20),
      supplierCode: text(13),
      receptionStatus: text(1),
      svcReceptionUniqueID: text(25),
      receptionProcessingNumber: text(3),
      carrierDeliveryBLNumber: text(10),
      blIssuanceDate: instant, actualReceptionDate: instant,
      rMotifRec: anyText, rTypeRec: anyText,
      entries: list('ReceptionLine'),
    },
  },
  ReceptionLine: {
    clause: '2.10',
    fields: {
      id: number,
      activityCode: anyText,
      dateCreation: instant, dateLastUpdate: instant,
      orderLineID: anyText, articleReference: anyText,
      receivedQuantity: number, theoreticalRemainingQuantity: number, supplierBLQuantity: number,
      svcReceptionUniqueID: anyText,
      details: list('ReceptionDetail'),
    },
  },
  ReceptionDetail: {
    clause: '2.10',
    fields: {
      id: number,
      activityCode: anyText,
      dateCreation: instant, dateLastUpdate: instant,
      ownerCode: anyText,
      receivedQuantity: number,
      receivedLotNumber: anyText,
      articleReceivedDate: instant,
      serialNumber: anyText, orderLineID: anyText, svcReceptionUniqueID: anyText,
    },
  },
};

/** The one record to which nothing may be added (2.1). */
export const closedRecord = 'ArticleStockMovement';

/** Records that are no lists (2.11, 2.12): names of their fields. Those of LabelRequest are all texts. */
export const otherRecords = {
  LabelRequest: [
    'modeCol', 'modeLiv', 'expLang', 'expAddr1', 'expAddr2', 'expCity', 'expZip', 'expCountry', 'expTel1', 'expMail',
    'destLang', 'destAddr1', 'destAddr2', 'destCity', 'destZip', 'destCountry', 'destTel1', 'destMail',
    'weight', 'nbPackage', 'crtValue', 'pickupPointCountry', 'pickupPoint',
    'shippingPickupPointCountry', 'shippingPickupPoint',
    'nClient', 'nDossier', 'apiVersion', 'outputType', 'outputFormat', 'instruction', 'content',
  ],
  LabelResult: ['status', 'expeditionNumber', 'outputs'],
  LabelOutput: ['name', 'value'],
  Tracking: ['status', 'wording1', 'wording2', 'relayWording', 'relayNumber', 'steps'],
  TrackingStep: ['wording', 'date', 'hour', 'location', 'relayId', 'relayCountry'],
  OperationResult: ['status', 'operationId', 'errors', 'passed'],
  ProblemDetails: ['type', 'title', 'detail', 'instance', 'status'],
} as const;

type EndpointFacts = readonly [clause: string, method: 'GET' | 'POST', path: string, answer: string];

/** The endpoints (part 4), in the interface's order. */
export const endpointFacts: readonly EndpointFacts[] = [
  ['4.1', 'GET', '/articles', 'Article'],
  ['4.4', 'POST', '/articles', 'OperationResult'],
  ['4.2', 'GET', '/articles/stock', 'ArticleStock'],
  ['4.3', 'GET', '/articles/movements', 'ArticleStockMovement'],
  ['4.5', 'GET', '/articles/{articleReference}/movements', 'ArticleStockMovement'],
  ['4.6', 'GET', '/orders', 'Order'],
  ['4.7', 'GET', '/orders/reports', 'OrderReport'],
  ['4.8', 'GET', '/orders/{uniqueOrderID}/reports', 'OrderReport'],
  ['4.9', 'POST', '/orders/{orderId}/docs/{docSlug}', 'OperationResult'],
  ['4.10', 'GET', '/procurements', 'Procurement'],
  ['4.11', 'GET', '/procurements/{uniqueProcurementID}/reports', 'ProcurementReport'],
  ['4.12', 'POST', '/shippings/labels/{context}/{carrier}', 'LabelResult'],
  ['4.13', 'GET', '/shippings/labels/{context}/{carrier}/{id}', 'LabelResult'],
  ['4.14', 'GET', '/shippings/tracking/{context}/{carrier}/{id}', 'Tracking'],
];
