;; The input, read as data/...

(count data/orders) ;=> 5
data/absent ;=> nil
(or data/absent :default) ;=> :default
(map :id data/orders) ;=> [101 102 103 104 105]
(first (map "id" data/orders)) ;!! type_error
(pluck "id" data/orders) ;=> [101 102 103 104 105]
(get (first data/orders) "status") ;=> "paid"
(:status (last data/orders)) ;=> "paid"
(keys (first data/customers)) ;=> ["city" "email" "id" "name"]
(type data/stock) ;=> :map
(data/stock :pen) ;!! invalid_form
(:pen data/stock) ;=> 4
(get data/stock "lamp") ;=> 7
(get data/stock "chair" 0) ;=> 0
(keys data/stock) ;=> ["desk" "lamp" "pen"]
(vals data/stock) ;=> [0 7 4]
(sum-by val data/stock) ;=> 11
(map key (filter (fn [[_ n]] (zero? n)) data/stock)) ;=> ["desk"]
(get data/settings "max-retries") ;=> 3
(:max-retries data/settings) ;=> 3
(:max_retries data/settings) ;=> nil
(:dry_run data/settings) ;=> false
(:dry-run data/settings) ;=> nil
(:dry_run data/settings true) ;=> false
(:note data/settings "none") ;=> nil
(or (:note data/settings) "none") ;=> "none"
(contains? data/settings :note) ;=> true
(pr-str data/settings) ;=> "{\"dry_run\" false \"max-retries\" 3 \"note\" nil}"
(:_token data/settings) ;=> "t-1"
(count data/settings) ;=> 4
(select-keys data/settings [:max-retries]) ;=> {:max-retries 3}
(get-in data/orders [0 :items 1 :sku]) ;=> "desk"
(get-in data/orders [9 :items]) ;=> nil
(get-in data/orders [0 "items" 0 "qty"]) ;=> 2
(let [{:keys [pen lamp]} data/stock] (+ pen lamp)) ;=> 11
(let [[{:keys [id]}] data/orders] id) ;=> 101
(count (split-lines data/log)) ;=> 6
(string? data/invoice) ;=> true
(first (split-lines data/invoice)) ;=> "Invoice INV-2031-007"
(assoc data/stock :pen 10) ;=> {"desk" 0 "lamp" 7 "pen" 10}
(do (assoc data/stock :pen 10) (:pen data/stock)) ;=> 4
(update data/stock "pen" dec) ;=> {"desk" 0 "lamp" 7 "pen" 3}
(assoc data/stock :chair 1) ;=> {:chair 1 "desk" 0 "lamp" 7 "pen" 4}
(merge {"pen" 1} data/stock) ;=> {"desk" 0 "lamp" 7 "pen" 4}
(distinct (map :status data/orders)) ;=> ["paid" "open" "cancelled"]
(def data 5) data ;=> 5
(let [data {:x 1}] (:x data)) ;=> 1
(def data/x 1) ;!! invalid_form
(filter nil? (map :email data/customers)) ;=> [nil]
(->> data/orders (filter (where :status = "open")) (map :id)) ;=> [102 103]
(->> data/orders (filter (where :status = :paid)) (sum-by :total)) ;=> 210
(->> data/orders (max-by :total) :id) ;=> 104
(sort-by :name > data/customers) ;=> [{"city" "Ulm" "email" nil "id" "c3" "name" "Cem"} {"city" "Kiel" "email" "bo@example.org" "id" "c2" "name" "Bo"} {"city" "Ulm" "email" "ada@example.com" "id" "c1" "name" "Ada"}]
