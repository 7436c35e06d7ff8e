/** A business that could be a customer: what it is called, who runs it, what its bot and its knowledge are. */
export interface Business {
  readonly name: string;
  readonly administrator: string;
  readonly bot: string;
  readonly document: string;
  readonly sentences: readonly [string, string, string];
}

/** Businesses in many scripts, directions and widths. */
export const businesses: readonly Business[] = [
  {
    name: 'Padaria Pão Quente',
    administrator: 'Gerência da padaria',
    bot: 'Atendimento da padaria',
    document: 'cardápio',
    sentences: ['Abrimos às seis da manhã.', 'Entregamos até dez quilômetros.', 'Aceitamos cartão e Pix.'],
  },
  {
    name: 'Northwind Bicycles',
    administrator: 'Shop manager',
    bot: 'Repair desk',
    document: 'repair prices',
    sentences: [
      'A full service takes two days.',
      'We lend a bicycle meanwhile.',
      'Bring the key of your lock.',
    ],
  },
  {
    name: '山の上ベーカリー',
    administrator: '店長',
    bot: '予約係',
    document: 'メニュー',
    sentences: ['毎日七時に開きます。', '日曜日は休みです。', '予約は電話でもできます。'],
  },
  {
    name: 'مخبز النخيل',
    administrator: 'مدير المخبز',
    bot: 'مساعد الطلبات',
    document: 'قائمة الأسعار',
    sentences: ['نفتح في السادسة صباحا.', 'التوصيل مجاني داخل المدينة.', 'نقبل البطاقات والنقد.'],
  },
  {
    name: 'Кофейня у моста',
    administrator: 'Управляющая кофейней',
    bot: 'Помощник баристы',
    document: 'часы работы',
    sentences: [
      'Мы открыты до девяти вечера.',
      'Завтраки подают весь день.',
      'Столик можно заказать заранее.',
    ],
  },
  {
    name: 'दिल्ली पुस्तक भंडार',
    administrator: 'दुकान प्रबंधक',
    bot: 'पुस्तक सहायक',
    document: 'सूची',
    sentences: ['दुकान दस बजे खुलती है।', 'पुरानी किताबें भी मिलती हैं।', 'डाक से भेजना संभव है।'],
  },
  {
    name: '서울 꽃집',
    administrator: '매니저',
    bot: '주문 도우미',
    document: '배달 안내',
    sentences: ['오전 아홉 시에 엽니다.', '당일 배달이 가능합니다.', '카드 결제를 받습니다.'],
  },
  {
    name: 'Ζαχαροπλαστείο Θάλασσα',
    administrator: 'Υπεύθυνη καταστήματος',
    bot: 'Εξυπηρέτηση πελατών',
    document: 'τιμοκατάλογος',
    sentences: ['Ανοίγουμε στις οκτώ.', 'Παραδίδουμε και την Κυριακή.', 'Δεχόμαστε κάρτες.'],
  },
  {
    name: 'מאפיית הגליל',
    administrator: 'מנהלת החנות',
    bot: 'עוזר ההזמנות',
    document: 'תפריט',
    sentences: ['פתוח משבע בבוקר.', 'סגור בשבת.', 'אפשר להזמין מראש.'],
  },
  {
    name: '长城茶馆',
    administrator: '店长',
    bot: '订座助手',
    document: '茶单',
    sentences: ['每天上午十点开门。', '可以送货上门。', '支持银行卡付款。'],
  },
  {
    name: 'ร้านอาหารริมน้ำ',
    administrator: 'ผู้จัดการร้าน',
    bot: 'ผู้ช่วยจองโต๊ะ',
    document: 'เมนูอาหาร',
    sentences: ['เปิดสิบโมงเช้า', 'มีที่จอดรถ', 'รับบัตรเครดิต'],
  },
  {
    name: 'Café Crème & Fils 🥐',
    administrator: 'Gérance du café',
    bot: 'Accueil du café',
    document: "carte d'été",
    sentences: ['Nous ouvrons à sept heures.', 'La terrasse est chauffée.', 'Les chiens sont bienvenus.'],
  },
];

/** A few sentences in the language of a business; another selection for each number. */
export function paragraph({ name, sentences }: Business, number: number): string {
  const lines = Array.from(
    { length: 1 + (number % 12) },
    (_, index) => sentences[(number + index) % 3] ?? '',
  );
  return `${name}\n\n${lines.join('\n')}\n`;
}
